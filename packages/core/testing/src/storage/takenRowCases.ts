import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { callStore, keepOpenUntil, linger, overlapped, pairsOf, signal } from "./overlap.ts"
import { inTurn } from "./programs.ts"
import { addPet, givenCategory, givenPet, keyOf, newStoredResult, renamePet, reserveUnits } from "./rows.ts"
import type { Part, TestedTransaction } from "./TestedStore.ts"

// Nothing but its locks is asked of the second transaction of each case, so that a store may let it share its commit.
export const takenRowCases = storageCases("storage: rows that overlapping transactions have", {
  "a category that another transaction deletes is gone for one that shares it to add a pet": (store, fixture) =>
    Effect.gen(function* () {
      const another = yield* fixture.openAnother(store)
      for (const [index, [one, other]] of pairsOf(store, another).entries()) {
        const id = yield* givenCategory(store, `Category ${index}`)
        const remove = function* (tx: TestedTransaction): Part<void> {
          const record = yield* tx.categories.lock(id)
          if (record === undefined) throw new Error("The category is gone")
          yield* tx.categories.save({ ...record, version: record.version + 1, deleted: true })
        }
        const add = function* (tx: TestedTransaction): Part<string> {
          if ((yield* tx.categories.lockShared(id)) === undefined) return "gone"
          yield* addPet(tx, id)
          return "added"
        }
        const [, exit] = yield* overlapped(
          fixture,
          { store: one, part: remove, end: () => inTurn() },
          { store: other, part: add }
        )
        assertEqual(yield* exit, "gone", "what becomes of a pet for the category")
      }
    }),

  "a transaction that locks an order and then its pet waits for the pet, and finds it as another one left it": (
    store,
    fixture
  ) =>
    Effect.gen(function* () {
      const another = yield* fixture.openAnother(store)
      const petId = yield* givenPet(store, { name: "before" })
      const orderId = yield* store.run((tx) => reserveUnits(tx, petId))
      for (const [index, [one, other]] of pairsOf(store, another).entries()) {
        const [, exit] = yield* overlapped(
          fixture,
          { store: one, part: (tx) => renamePet(tx, petId, `after ${index}`), end: () => inTurn() },
          {
            store: other,
            part: function* (tx) {
              const order = yield* tx.orders.lock(orderId)
              return (yield* tx.pets.lock(order?.order.petId ?? 0))?.name
            }
          }
        )
        assertEqual(yield* exit, `after ${index}`, "the name of the pet")
      }
    }),

  "of many keys that are locked at once, one that another transaction has is found with its result": (store, fixture) =>
    Effect.gen(function* () {
      const another = yield* fixture.openAnother(store)
      for (const [index, [one, other]] of pairsOf(store, another).entries()) {
        const keys = Array.from({ length: 6 }, (_, n) => `key-${index}-${n}`)
        const taken = keys[3] ?? ""
        const [locked, asked] = [signal(), signal()]
        const holder = yield* Effect.forkChild(
          one.run(function* (tx) {
            yield* callStore(tx)
            yield* tx.idempotency.lock(keyOf(1, taken))
            locked.set()
            yield* keepOpenUntil(tx, fixture, asked.happened)
            yield* linger(tx)
            yield* tx.idempotency.save(newStoredResult(taken, { result: "done" }))
          })
        )
        yield* locked.await
        const results = yield* Effect.forEach(
          keys,
          (key) =>
            other.run(function* (tx) {
              asked.set()
              const record = yield* tx.idempotency.lock(keyOf(1, key))
              if (record === undefined) yield* tx.idempotency.save(newStoredResult(key, { result: "new" }))
              return record?.result
            }),
          { concurrency: "unbounded" }
        )
        yield* Fiber.join(holder)
        assertEqual(
          results,
          keys.map((key) => (key === taken ? "done" : undefined)),
          "the results that are found"
        )
      }
    })
})
