import type { MessageRecord } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { assertEqual, assertTrue } from "../check.ts"
import { storageCases } from "./cases.ts"
import { wasRefused } from "./outcomes.ts"
import { at, newMessage } from "./rows.ts"
import type { Store } from "./StorageFixture.ts"

const all = 1_000

const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

const waiting = (id: string, second: number) => newMessage(id, { attempts: 1, lease: { fence: 1 }, dueAt: at(second) })

const leased = (id: string, second: number) => newMessage(id, { attempts: 1, lease: { fence: 1, until: at(second) } })

const delivered = (id: string, second: number) =>
  newMessage(id, { status: "delivered", attempts: 1, lease: { fence: 1 }, finishedAt: at(second) })

const failed = (id: string, second: number) =>
  newMessage(id, { ...delivered(id, second), status: "failed", lastError: "No connection" })

const states: ReadonlyArray<MessageRecord> = [
  newMessage("msg_1"),
  leased("msg_1", 30),
  waiting("msg_1", 5),
  { ...waiting("msg_1", 5), lastError: "No connection: 🐶" },
  failed("msg_1", 9),
  { ...waiting("msg_1", 10), attempts: 0, lease: { fence: 12 }, trace },
  delivered("msg_1", 20)
]

const impossible: ReadonlyArray<readonly [what: string, fields: Partial<MessageRecord>]> = [
  ["more attempts than claims", { attempts: 2, lease: { fence: 1 } }],
  ["fewer attempts than none", { attempts: -1 }],
  ["a lease without an attempt", { lease: { fence: 1, until: at(1) } }],
  ["a lease and a time when it is due", { ...leased("msg_1", 1), dueAt: at(1) }],
  ["a lease of a delivered message", { ...delivered("msg_1", 1), lease: { fence: 1, until: at(1) } }],
  ["a delivered message that is due", { ...delivered("msg_1", 1), dueAt: at(1) }],
  ["a delivered message with an error", { ...delivered("msg_1", 1), lastError: "No" }],
  ["a queued message that was delivered", { finishedAt: at(1) }],
  ["a delivered message without a time", { status: "delivered" }],
  ["a failed message without an error", { ...delivered("msg_1", 1), status: "failed" }]
]

const add = (store: Store, ...messages: ReadonlyArray<MessageRecord>) =>
  store.transact(Effect.forEach(messages, store.messages.insert, { discard: true }))

const ids = Effect.map((messages: ReadonlyArray<MessageRecord>) => messages.map(({ id }) => id))

/** Locks what can be claimed ten seconds after the start; leases of over a minute and delays of over an hour have no effect. */
const claimable = (store: Store, limit: number) =>
  store.messages.lockClaimable({ now: at(10), longestLease: at(70), longestDelay: at(3_610), limit })

export const messageCases = storageCases("storage: messages", {
  "a message is found by its id as it was added; another id finds none": (store) =>
    Effect.gen(function* () {
      const message = newMessage("msg_1", { message: "Feed the 🐶\nat noon", trace })
      yield* add(store, message)
      assertEqual(yield* store.messages.find("msg_1"), message)
      assertEqual(yield* store.messages.find("msg_2"), undefined)
    }),

  "messages are listed in ascending id, after the given one, in whatever order they were added": (store) =>
    Effect.gen(function* () {
      for (const id of ["msg_b", "msg_0", "msg_a", "msg_10", "msg_9"]) yield* add(store, newMessage(id))
      const list = (after: string, limit: number) => ids(store.messages.list({ after, limit }))
      assertEqual(yield* list("", 10), ["msg_0", "msg_10", "msg_9", "msg_a", "msg_b"])
      assertEqual(yield* list("", 2), ["msg_0", "msg_10"])
      assertEqual(yield* list("msg_10", 2), ["msg_9", "msg_a"])
      assertEqual(yield* list("msg_5", 1), ["msg_9"])
      assertEqual(yield* list("msg_b", 2), [])
    }),

  "the messages of a status are listed in ascending id, after the given one": (store) =>
    Effect.gen(function* () {
      yield* add(store, delivered("msg_5", 1), newMessage("msg_1"), failed("msg_3", 1), leased("msg_4", 1))
      yield* add(store, delivered("msg_2", 9))
      const list = (status: MessageRecord["status"], after = "", limit = 10) =>
        ids(store.messages.list({ status, after, limit }))
      const { count } = store.messages
      assertEqual([yield* count("queued", 9), yield* count("delivered", 1), yield* count("failed", 9)], [2, 1, 1])
      assertEqual(yield* list("queued"), ["msg_1", "msg_4"])
      assertEqual(yield* list("queued", "msg_1"), ["msg_4"])
      assertEqual(yield* list("delivered"), ["msg_2", "msg_5"])
      assertEqual(yield* list("delivered", "", 1), ["msg_2"])
      assertEqual(yield* list("failed"), ["msg_3"])
    }),

  "a second message with the same id is rejected, and the first is kept": (store) =>
    Effect.gen(function* () {
      yield* add(store, newMessage("msg_1", { message: "first" }))
      wasRefused(yield* Effect.exit(add(store, newMessage("msg_1", { message: "second" }))))
      assertEqual(
        (yield* store.messages.list({ after: "", limit: 10 })).map(({ message }) => message),
        ["first"]
      )
    }),

  "a message is locked and found as it was saved, in each of its states": (store) =>
    Effect.gen(function* () {
      yield* add(store, newMessage("msg_1"), newMessage("msg_2"))
      for (const state of states) {
        yield* store.transact(Effect.andThen(store.messages.lock("msg_1"), store.messages.save(state)))
        assertEqual(yield* store.transact(store.messages.lock("msg_1")), state)
        assertEqual(yield* store.messages.find("msg_1"), state)
      }
      assertEqual(yield* store.messages.find("msg_2"), newMessage("msg_2"))
      assertEqual(yield* store.transact(store.messages.lock("msg_3")), undefined)
    }),

  "a state that a message cannot have is rejected": (store) =>
    Effect.gen(function* () {
      yield* add(store, newMessage("msg_1"))
      for (const [what, fields] of impossible) {
        const state = newMessage("msg_1", fields)
        const save = Effect.andThen(store.messages.lock("msg_1"), store.messages.save(state))
        wasRefused(yield* Effect.exit(store.transact(save)))
        wasRefused(yield* Effect.exit(add(store, { ...state, id: "msg_2" })))
        assertEqual(yield* store.messages.list({ after: "", limit: 10 }), [newMessage("msg_1")], what)
      }
    }),

  "a removed message is in no list": (store) =>
    Effect.gen(function* () {
      yield* add(store, delivered("msg_1", 1), delivered("msg_2", 1), newMessage("msg_3"))
      yield* store.transact(Effect.andThen(store.messages.lock("msg_1"), store.messages.remove("msg_1")))
      assertEqual(yield* store.messages.find("msg_1"), undefined)
      assertEqual(yield* ids(store.messages.list({ after: "", limit: 10 })), ["msg_2", "msg_3"])
      assertEqual(yield* ids(store.messages.list({ status: "delivered", after: "", limit: 10 })), ["msg_2"])
      assertEqual(yield* ids(store.transact(store.messages.lockDelivered(at(9), 10))), ["msg_2"])
    }),

  "the next message is due when it was queued, when its wait ends or when its lease expires": (store) =>
    Effect.gen(function* () {
      const next = store.messages.nextDue
      assertEqual(yield* next, undefined)
      yield* add(store, delivered("msg_1", 1), failed("msg_2", 1))
      assertEqual(yield* next, undefined)
      yield* add(store, leased("msg_3", 9))
      assertEqual(yield* next, at(9))
      yield* add(store, waiting("msg_4", 8))
      assertEqual(yield* next, at(8))
      yield* add(store, newMessage("msg_5", { createdAt: at(7) }))
      assertEqual(yield* next, at(7))
      yield* add(store, leased("msg_6", 6))
      assertEqual(yield* next, at(6))
    }),

  "those can be claimed whose leases have expired, and those that are due, in the order of these times": (store) =>
    Effect.gen(function* () {
      yield* add(
        store,
        leased("msg_expired_later", 9),
        leased("msg_expired", 8),
        leased("msg_leased", 40),
        leased("msg_leased_by_a_wrong_clock", 71),
        waiting("msg_due_later", 10),
        newMessage("msg_new", { createdAt: at(4) }),
        waiting("msg_due", 3),
        waiting("msg_waiting", 11),
        waiting("msg_waiting_by_a_wrong_clock", 3_611),
        delivered("msg_delivered", 1),
        failed("msg_failed", 1)
      )
      const expected = [
        "msg_expired",
        "msg_expired_later",
        "msg_leased_by_a_wrong_clock",
        "msg_due",
        "msg_new",
        "msg_due_later",
        "msg_waiting_by_a_wrong_clock"
      ]
      for (const limit of [1, 2, 3, 5, 6, 7, 20]) {
        assertEqual(yield* ids(store.transact(claimable(store, limit))), expected.slice(0, limit))
      }
    }),

  "delivered messages are locked up to a time, the first ones first": (store) =>
    Effect.gen(function* () {
      yield* add(store, delivered("msg_1", 3), delivered("msg_2", 1), delivered("msg_3", 5), failed("msg_4", 1))
      const locked = (second: number, limit: number) =>
        ids(store.transact(store.messages.lockDelivered(at(second), limit)))
      assertEqual(yield* locked(5, 10), ["msg_2", "msg_1"])
      assertEqual(yield* locked(5, 1), ["msg_2"])
      assertEqual(yield* locked(1, 10), [])
    }),

  "transactions at the same time never claim the same message": (store) =>
    Effect.gen(function* () {
      const messages = Array.from({ length: 40 }, (_, index) => waiting(`msg_${10 + index}`, 1))
      yield* add(store, ...messages)
      const claims = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () =>
          store.transact(
            Effect.gen(function* () {
              const found = yield* claimable(store, 3)
              for (const { id } of found) yield* store.messages.save(leased(id, 40))
              return found.map(({ id }) => id)
            })
          ),
        { concurrency: "unbounded" }
      )
      const claimed = claims.flat()
      assertEqual(new Set(claimed).size, claimed.length, "the claims")
      assertTrue(claimed.length >= 3, "some are claimed")
      const rows = yield* store.messages.list({ after: "", limit: all })
      assertEqual(
        rows.filter(({ lease }) => lease.until !== undefined).map(({ id }) => id),
        claimed.sort()
      )
    })
})
