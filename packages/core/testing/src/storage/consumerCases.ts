import { parkedEvents } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { newConsumer, newParkedEvent } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"

const add = (store: TestedStore, fields: Parameters<typeof newConsumer>[0] = {}) =>
  store.transact(store.consumers.insert(newConsumer(fields)))

const park = (store: TestedStore, fields: Parameters<typeof newParkedEvent>[0] = {}) =>
  store.transact(store.parkedEvents.save(newParkedEvent(fields)))

/** Changes a consumer under a lock; a part of a transaction. */
const change = (store: TestedStore, name: string, to: (position: number) => number) =>
  Effect.flatMap(store.consumers.lock(name), (consumer) =>
    consumer === undefined
      ? Effect.die(new Error(`There is no consumer ${name}`))
      : store.consumers.save({ ...consumer, position: to(consumer.position) })
  )

export const consumerCases = storageCases("storage: consumers", {
  "a consumer that several add is the one that was first": (store, { openAnother }) =>
    Effect.gen(function* () {
      const another = yield* openAnother(store)
      yield* Effect.forEach(
        Array.from({ length: 12 }, (_, index) => index + 1),
        (position) => add(position % 2 === 0 ? store : another, { position }),
        { concurrency: "unbounded" }
      )
      const [first, ...others] = yield* store.consumers.scan([], 10)
      assertEqual([first?.name, others], ["invoices", []])
      yield* add(store)
      assertEqual(yield* store.consumers.find("invoices"), first)
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

  "a consumer is removed once it has no parked events, and its name is free again": (store) =>
    Effect.gen(function* () {
      yield* add(store)
      yield* park(store)
      const remove = Effect.andThen(store.consumers.lock("invoices"), store.consumers.remove("invoices"))
      yield* store.transact(Effect.andThen(store.parkedEvents.remove(parkedEvents.keyOf(newParkedEvent())), remove))
      assertEqual(yield* store.consumers.scan([], 10), [])
      yield* store.transact(store.consumers.remove("invoices"))
      yield* add(store, { position: 7 })
      assertEqual((yield* store.consumers.find("invoices"))?.position, 7)
    })
})
