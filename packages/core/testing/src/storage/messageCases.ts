import type { MessageRecord } from "@petstore/core/domain"
import { claimableMessages, deliveredMessages } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual, assertTrue } from "../check.ts"
import { atOnce } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { wasRefused } from "./outcomes.ts"
import { each } from "./programs.ts"
import { at, newMessage } from "./rows.ts"
import type { TestedStore, TestedTransaction } from "./TestedStore.ts"

const all = 1_000

const waiting = (id: string, second: number) => newMessage(id, { attempts: 1, lease: { fence: 1 }, dueAt: at(second) })

const leased = (id: string, second: number) => newMessage(id, { attempts: 1, lease: { fence: 1, until: at(second) } })

const delivered = (id: string, second: number) =>
  newMessage(id, { status: "delivered", attempts: 1, lease: { fence: 1 }, finishedAt: at(second) })

const failed = (id: string, second: number) =>
  newMessage(id, { ...delivered(id, second), status: "failed", lastError: "No connection" })

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

const add = (store: TestedStore, ...messages: ReadonlyArray<MessageRecord>) =>
  store.run((tx) => each(messages, tx.messages.insert))

const ids = Effect.map((messages: ReadonlyArray<MessageRecord>) => messages.map(({ id }) => id))

/** Locks what can be claimed ten seconds after the start; leases of over ten minutes and delays of over a day have no effect. */
const claimable = (tx: TestedTransaction, limit: number) => tx.claim(claimableMessages, at(10), limit)

export const messageCases = storageCases("storage: messages", {
  *"a state that a message cannot have is rejected"(store) {
    yield* add(store, newMessage("msg_1"))
    for (const [what, fields] of impossible) {
      const state = newMessage("msg_1", fields)
      wasRefused(yield* Effect.exit(store.run((tx) => tx.messages.save(state))))
      wasRefused(yield* Effect.exit(add(store, { ...state, id: "msg_2" })))
      assertEqual(yield* store.messages.scan([], 10), [newMessage("msg_1")], what)
    }
  },

  *"those can be claimed whose leases have expired, and those that are due, in the order of these times"(store) {
    yield* add(
      store,
      leased("msg_expired_later", 9),
      leased("msg_expired", 8),
      leased("msg_leased", 40),
      leased("msg_leased_by_a_wrong_clock", 611),
      waiting("msg_due_later", 10),
      newMessage("msg_new", { createdAt: at(4) }),
      waiting("msg_due", 3),
      waiting("msg_waiting", 11),
      waiting("msg_waiting_by_a_wrong_clock", 100_000),
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
      assertEqual(yield* ids(store.run((tx) => claimable(tx, limit))), expected.slice(0, limit))
    }
  },

  *"a command claims messages as it has changed them, and those that it has not changed"(store) {
    yield* add(store, leased("msg_1", 8), leased("msg_2", 40), waiting("msg_3", 3), waiting("msg_4", 4))
    const claimed = store.run(function* (tx) {
      for (const row of [delivered("msg_1", 9), waiting("msg_2", 2), waiting("msg_3", 11)]) yield* tx.messages.save(row)
      return [...(yield* claimable(tx, 1)), ...(yield* claimable(tx, 9))]
    })
    assertEqual(yield* ids(claimed), ["msg_2", "msg_2", "msg_4"])
    assertEqual(yield* ids(store.run((tx) => claimable(tx, 9))), ["msg_2", "msg_4"])
  },

  *"delivered messages are locked up to a time, the first ones first"(store) {
    yield* add(store, delivered("msg_1", 3), delivered("msg_2", 1), delivered("msg_3", 5), failed("msg_4", 1))
    const locked = (second: number, limit: number) =>
      ids(store.run((tx) => tx.claim(deliveredMessages, at(second), limit)))
    assertEqual(yield* locked(5, 10), ["msg_2", "msg_1"])
    assertEqual(yield* locked(5, 1), ["msg_2"])
    assertEqual(yield* locked(1, 10), [])
  },

  *"transactions at the same time never claim the same message"(store) {
    const messages = Array.from({ length: 40 }, (_, index) => waiting(`msg_${10 + index}`, 1))
    yield* add(store, ...messages)
    const claims = yield* atOnce(20, () =>
      store.run(function* (tx) {
        const messages = yield* claimable(tx, 3)
        for (const { id } of messages) yield* tx.messages.save(leased(id, 40))
        return messages.map(({ id }) => id)
      })
    )
    const claimed = claims.flat()
    assertEqual(new Set(claimed).size, claimed.length, "the claims")
    assertTrue(claimed.length >= 3, "some are claimed")
    const rows = yield* store.messages.scan([], all)
    assertEqual(
      rows.filter(({ lease }) => lease.until !== undefined).map(({ id }) => id),
      claimed.sort()
    )
  }
})
