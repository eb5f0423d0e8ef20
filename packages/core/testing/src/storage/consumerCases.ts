import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { outcome, wasRefused } from "./outcomes.ts"
import { at, newConsumer, newParkedEvent } from "./rows.ts"
import type { Store } from "./StorageFixture.ts"

const add = (store: Store, fields: Parameters<typeof newConsumer>[0] = {}) =>
  store.transact(store.consumers.insert(newConsumer(fields)))

const park = (store: Store, fields: Parameters<typeof newParkedEvent>[0] = {}) =>
  store.transact(store.parkedEvents.save(newParkedEvent(fields)))

/** Changes a consumer under a lock; a part of a transaction. */
const change = (store: Store, name: string, to: (position: number) => number) =>
  Effect.flatMap(store.consumers.lock(name), (consumer) =>
    consumer === undefined
      ? Effect.die(new Error(`There is no consumer ${name}`))
      : store.consumers.save({ ...consumer, position: to(consumer.position) })
  )

const ended = <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.map(Effect.exit(body), outcome)

const namesAfter = (store: Store, after: string, limit = 10) =>
  Effect.map(store.consumers.list(after, limit), (all) => all.map(({ name }) => name))

const whole = newConsumer({
  name: "petstore:webhooks",
  position: Number.MAX_SAFE_INTEGER,
  lease: { fence: Number.MAX_SAFE_INTEGER, until: at(9) },
  holder: "4711-abc",
  types: ["order.placed", "pet.created"],
  attempts: 3,
  retryAt: at(8),
  failure: { message: 'no "Ä"\n🐶', at: at(7) }
})

export const consumerCases = storageCases("storage: consumers", {
  "a consumer is found by its name as it was added, and as it was saved last": (store) =>
    Effect.gen(function* () {
      const name = "petstore:webhooks"
      assertEqual(yield* store.consumers.find(name), undefined)
      assertEqual(yield* store.transact(store.consumers.lock(name)), undefined)
      const first = newConsumer({ name })
      yield* store.transact(store.consumers.insert(first))
      assertEqual(yield* store.consumers.find(name), first)
      const save = (record: typeof whole) =>
        store.transact(Effect.andThen(store.consumers.lock(name), store.consumers.save(record)))
      yield* save(whole)
      assertEqual(yield* store.consumers.find(name), whole)
      assertEqual(yield* store.transact(store.consumers.lock(name)), whole)
      yield* save(first)
      assertEqual(yield* store.consumers.find(name), first)
    }),

  "a name is taken once, by whichever transaction was first": (store, { openAnother }) =>
    Effect.gen(function* () {
      const another = yield* openAnother(store)
      const found = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, index) => index),
        (position) => ended(add(position % 2 === 0 ? store : another, { position })),
        { concurrency: "unbounded" }
      )
      assertEqual(found.filter((one) => one === "Duplicate").length, 11)
      assertEqual((yield* store.consumers.list("", 10)).length, 1)
      assertEqual(yield* ended(add(store)), "Duplicate")
    }),

  "consumers are listed by the code units of their names, and after any name": (store) =>
    Effect.gen(function* () {
      for (const name of ["b", "a:b", "B", "a.b", "a"]) yield* add(store, { name })
      assertEqual(yield* namesAfter(store, ""), ["B", "a", "a.b", "a:b", "b"])
      assertEqual(yield* namesAfter(store, "a", 2), ["a.b", "a:b"])
      assertEqual(yield* namesAfter(store, "b"), [])
    }),

  "of many changes at once, on two stores, none is lost": (store, { openAnother }) =>
    Effect.gen(function* () {
      const another = yield* openAnother(store)
      yield* add(store)
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? store : another)),
        (one) => one.transact(change(one, "invoices", (position) => position + 1)),
        { concurrency: "unbounded" }
      )
      assertEqual((yield* store.consumers.find("invoices"))?.position, 20)
    }),

  "a change that is rolled back leaves a consumer and its parked events as they were": (store) =>
    Effect.gen(function* () {
      yield* add(store)
      yield* park(store)
      const body = Effect.gen(function* () {
        yield* change(store, "invoices", () => 9)
        yield* store.parkedEvents.save(newParkedEvent({ seq: 2 }))
        yield* store.parkedEvents.remove({ consumer: "invoices", seq: 1 })
        yield* store.parkedEvents.remove({ consumer: "invoices", seq: 2 })
        yield* store.consumers.remove("invoices")
        assertEqual(yield* store.consumers.find("invoices"), undefined)
        return yield* Effect.fail("no")
      })
      assertEqual(yield* Effect.flip(store.transact(body)), "no")
      assertEqual(yield* store.consumers.find("invoices"), newConsumer())
      assertEqual(yield* store.parkedEvents.scan({ consumer: "", seq: 0 }, 10), [newParkedEvent()])
    }),

  "a consumer is removed once it has no parked events, and its name is free again": (store) =>
    Effect.gen(function* () {
      yield* add(store)
      yield* park(store)
      const remove = Effect.andThen(store.consumers.lock("invoices"), store.consumers.remove("invoices"))
      yield* store.transact(Effect.andThen(store.parkedEvents.remove({ consumer: "invoices", seq: 1 }), remove))
      assertEqual(yield* store.consumers.list("", 10), [])
      yield* store.transact(store.consumers.remove("invoices"))
      yield* add(store, { position: 7 })
      assertEqual((yield* store.consumers.find("invoices"))?.position, 7)
    }),

  "an event of a consumer that does not exist cannot be parked": (store) =>
    Effect.gen(function* () {
      wasRefused(yield* Effect.exit(park(store)))
      assertEqual(yield* store.parkedEvents.scan({ consumer: "", seq: 0 }, 10), [])
    }),

  "a parked event is found and listed as it was saved last, apart from those of other consumers": (store) =>
    Effect.gen(function* () {
      for (const name of ["a", "b", "a2"]) yield* add(store, { name })
      const saved = [
        newParkedEvent({ consumer: "a", seq: 9 }),
        newParkedEvent({ consumer: "a", seq: 10, failure: "", attempts: Number.MAX_SAFE_INTEGER }),
        newParkedEvent({ consumer: "a2", seq: 1, replay: true }),
        newParkedEvent({ consumer: "b", seq: Number.MAX_SAFE_INTEGER })
      ]
      for (const event of [...saved].reverse()) yield* park(store, event)
      const { parkedEvents } = store
      assertEqual(yield* parkedEvents.scan({ consumer: "", seq: 0 }, 10), saved)
      assertEqual(yield* parkedEvents.scan({ consumer: "a", seq: 9 }, 2), saved.slice(1, 3))
      assertEqual(yield* parkedEvents.list("a", 0, 10), saved.slice(0, 2))
      assertEqual(yield* parkedEvents.list("a", 9, 10), saved.slice(1, 2))
      assertEqual(yield* parkedEvents.list("a", 0, 1), saved.slice(0, 1))
      assertEqual(yield* parkedEvents.list("c", 0, 1), [])
      const [first] = saved
      const again = { ...newParkedEvent({ consumer: "a", seq: 9 }), replay: true, attempts: 4, failure: "again" }
      yield* park(store, again)
      assertEqual(yield* parkedEvents.find({ consumer: "a", seq: 9 }), again)
      assertEqual(yield* parkedEvents.find({ consumer: "b", seq: 9 }), undefined)
      assertEqual(yield* parkedEvents.listReplays("a", 0, 10), [again])
      assertEqual(yield* parkedEvents.listReplays("a", 9, 10), [])
      assertEqual(yield* parkedEvents.listReplays("b", 0, 10), [])
      if (first !== undefined) yield* park(store, first)
      assertEqual(yield* parkedEvents.listReplays("a", 0, 10), [])
      yield* store.transact(parkedEvents.remove({ consumer: "a", seq: 9 }))
      assertEqual(yield* parkedEvents.list("a", 0, 10), saved.slice(1, 2))
    }),

  "the lowest position is that of the consumer that needs the oldest event, parked ones included": (store) =>
    Effect.gen(function* () {
      const { lowest } = store.consumers
      assertEqual(yield* lowest, undefined)
      yield* add(store, { name: "b", position: 7 })
      yield* add(store, { name: "a", position: 7 })
      yield* add(store, { name: "c", position: 90 })
      assertEqual(yield* lowest, { consumer: "a", position: 7 })
      yield* park(store, { consumer: "c", seq: 5 })
      yield* park(store, { consumer: "c", seq: 6 })
      assertEqual(yield* lowest, { consumer: "c", position: 4 })
      yield* store.transact(store.parkedEvents.remove({ consumer: "c", seq: 5 }))
      assertEqual(yield* lowest, { consumer: "c", position: 5 })
    })
})
