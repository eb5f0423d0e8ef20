import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { callStore, keepOpenUntil, linger, overlapped, pairsOf, signal } from "./overlap.ts"
import { addPet, givenCategory, givenPet, keyOf, newStoredResult, renamePet, reserveUnits } from "./rows.ts"

// Nothing but its locks is asked of the second transaction of each case, so that a store may let it share its commit.
export const takenRowCases = storageCases("storage: rows that overlapping transactions have", {
  "a category that another transaction deletes is gone for one that shares it to add a pet": (store, fixture) =>
    Effect.gen(function* () {
      const another = yield* fixture.openAnother(store)
      for (const [index, [one, other]] of pairsOf(store, another).entries()) {
        const id = yield* givenCategory(store, `Category ${index}`)
        const remove = Effect.flatMap(one.categories.lock(id), (record) =>
          record === undefined
            ? Effect.die(new Error("The category is gone"))
            : one.categories.save({ ...record, version: record.version + 1, deleted: true })
        )
        const add = Effect.gen(function* () {
          if ((yield* other.categories.lockShared(id)) === undefined) return "gone"
          yield* addPet(other, id)
          return "added"
        })
        const [, exit] = yield* overlapped(
          fixture,
          { store: one, part: remove, end: Effect.void },
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
      const orderId = yield* store.transact(reserveUnits(store, petId))
      for (const [index, [one, other]] of pairsOf(store, another).entries()) {
        const [, exit] = yield* overlapped(
          fixture,
          { store: one, part: renamePet(one, petId, `after ${index}`), end: Effect.void },
          {
            store: other,
            part: Effect.gen(function* () {
              const found = yield* other.orders.lock(orderId)
              return (yield* other.pets.lock(found?.order.petId ?? 0))?.name
            })
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
          one.transact(
            Effect.gen(function* () {
              yield* callStore(one)
              yield* one.idempotency.lock(keyOf(1, taken))
              yield* locked.set
              yield* keepOpenUntil(one, fixture, asked.happened)
              yield* linger(one)
              yield* one.idempotency.save(newStoredResult(taken, { result: "done" }))
            })
          )
        )
        yield* locked.await
        const results = yield* Effect.forEach(
          keys,
          (key) =>
            other.transact(
              Effect.gen(function* () {
                yield* asked.set
                const record = yield* other.idempotency.lock(keyOf(1, key))
                if (record === undefined) yield* other.idempotency.save(newStoredResult(key, { result: "new" }))
                return record?.result
              })
            ),
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
