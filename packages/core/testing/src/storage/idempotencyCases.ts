import type { IdempotencyRecord } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { atOnce } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { each, inTurn, refuse } from "./programs.ts"
import { addPet, at, givenCategory, keyOf, newStoredResult } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"

const given = (store: TestedStore, ...records: ReadonlyArray<IdempotencyRecord>) =>
  store.run((tx) => each(records, tx.idempotency.save))

const find = (store: TestedStore, key: string, accountId = 1) =>
  store.run((tx) => tx.idempotency.lock(keyOf(accountId, key)))

const keys = (store: TestedStore) =>
  Effect.map(store.idempotency.scan([], 1000), (records) => records.map(({ key }) => key))

export const idempotencyCases = storageCases("storage: idempotency records", {
  *"keys are separate for each account, and case-sensitive"(store) {
    yield* given(
      store,
      newStoredResult("k", { result: "1" }),
      newStoredResult("k", { accountId: 2, result: "2" }),
      newStoredResult("K")
    )
    assertEqual((yield* find(store, "k", 1))?.result, "1")
    assertEqual((yield* find(store, "k", 2))?.result, "2")
    assertEqual(yield* find(store, "k", 3), undefined)
    assertEqual(yield* find(store, "K", 2), undefined)
  },

  *"of many identical requests at once, on two stores, one runs the command and all others find its record"(
    store,
    { openAnother }
  ) {
    const categoryId = yield* givenCategory(store)
    const another = yield* openAnother(store)
    const once = (one: TestedStore) =>
      one.run(function* (tx) {
        const record = yield* tx.idempotency.lock(keyOf(1, "k"))
        if (record !== undefined) return record.result
        const id = yield* addPet(tx, categoryId)
        yield* tx.idempotency.save(newStoredResult("k", { result: `${id}` }))
        return `${id}`
      })
    const results = yield* atOnce(30, (index) => once(index % 2 === 0 ? store : another))
    const pets = yield* store.pets.scan([], 10)
    assertEqual(new Set(results), new Set(pets.map(({ id }) => `${id}`)))
    assertEqual(pets.length, 1)
  },

  *"a purge removes records from before a time, up to the limit"(store) {
    const seconds = [5, 1, 4, 2, 3, 6]
    yield* given(store, ...seconds.map((second) => newStoredResult(`k${second}`, { createdAt: at(second) })))
    const left = () => Effect.map(keys(store), (all) => all.length)
    yield* store.run((tx) => tx.idempotency.purge(at(1), 10))
    assertEqual(yield* left(), 6)
    yield* store.run((tx) => tx.idempotency.purge(at(5), 3))
    assertEqual(yield* left(), 3)
    assertEqual(
      (yield* keys(store)).filter((key) => ["k5", "k6"].includes(key)),
      ["k5", "k6"]
    )
    yield* store.run((tx) => tx.idempotency.purge(at(5), 10))
    assertEqual(yield* keys(store), ["k5", "k6"])
    assertEqual(yield* find(store, "k1"), undefined)
  },

  *"a purge that is rolled back removes nothing"(store) {
    yield* given(store, newStoredResult("k"))
    yield* Effect.exit(store.run((tx) => inTurn(tx.idempotency.purge(at(9), 10), refuse())))
    assertEqual(yield* find(store, "k"), newStoredResult("k"))
  }
})
