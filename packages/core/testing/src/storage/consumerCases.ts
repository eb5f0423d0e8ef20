import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { newConsumer } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"

const add = (store: TestedStore, fields: Parameters<typeof newConsumer>[0] = {}) =>
  store.run((tx) => tx.consumers.insert(newConsumer(fields)))

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
    })
})
