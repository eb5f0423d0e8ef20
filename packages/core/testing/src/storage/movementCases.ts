import { limits, type Movement } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { assertEqual, assertTrue } from "../check.ts"
import { storageCases } from "./cases.ts"
import { addOrder, addPet, givenPet, newMovement } from "./rows.ts"
import type { Store } from "./StorageFixture.ts"

const seqs = (movements: ReadonlyArray<Movement>) => movements.map(({ seq }) => seq)

const extend = (store: Store, petId: number, from: number, to: number) =>
  store.transact(
    Effect.forEach(
      Array.from({ length: to - from + 1 }, (_, index) => from + index),
      (seq) => store.movements.append(newMovement(petId, seq)),
      { discard: true }
    )
  )

export const movementCases = storageCases("storage: the stock ledger", {
  "a movement is listed as it was appended, with its order if it has one": (store) =>
    Effect.gen(function* () {
      const petId = yield* givenPet(store)
      const movements = yield* store.transact(
        Effect.gen(function* () {
          const orderId = yield* addOrder(store, { state: "open", petId, quantity: 2 })
          const all: ReadonlyArray<Movement> = [
            { ...newMovement(petId, 2, "set"), deltaOnHand: limits.stock - 1 },
            { ...newMovement(petId, 3, "reserved"), deltaReserved: 2, orderId, actor: "key:7" },
            { ...newMovement(petId, 4, "shipped"), deltaOnHand: -2, deltaReserved: -2, orderId },
            newMovement(petId, 5, "held"),
            newMovement(petId, 6, "unheld")
          ]
          yield* Effect.forEach(all, store.movements.append, { discard: true })
          return all
        })
      )
      assertEqual(yield* store.movements.list(petId, 1, 10), movements)
    }),

  "the movements of one pet are listed in ascending seq, after the given one and up to the limit": (store) =>
    Effect.gen(function* () {
      const petId = yield* givenPet(store)
      const other = yield* store.transact(addPet(store, 1))
      yield* extend(store, petId, 2, 12)
      assertEqual(seqs(yield* store.movements.list(petId, 0, 3)), [1, 2, 3])
      assertEqual(seqs(yield* store.movements.list(petId, 9, 100)), [10, 11, 12])
      assertEqual(yield* store.movements.list(petId, 12, 3), [])
      assertEqual(seqs(yield* store.movements.list(other, 0, 100)), [1])
      assertEqual(yield* store.movements.list(999, 0, 3), [])
    }),

  "a scan returns every movement by pet and seq, and can continue in the middle of a ledger": (store) =>
    Effect.gen(function* () {
      const first = yield* givenPet(store)
      const second = yield* store.transact(addPet(store, 1))
      const third = yield* store.transact(addPet(store, 1))
      yield* extend(store, third, 2, 3)
      yield* extend(store, second, 2, 4)
      yield* extend(store, first, 2, 11)
      const every = [
        ...Array.from({ length: 11 }, (_, index) => [first, index + 1]),
        ...[1, 2, 3, 4].map((seq) => [second, seq]),
        ...[1, 2, 3].map((seq) => [third, seq])
      ]
      for (const limit of [1, 4, 100]) {
        const found: Array<ReadonlyArray<number>> = []
        for (let after = { petId: 0, seq: 0 }; ; ) {
          const page: ReadonlyArray<Movement> = yield* store.movements.scan(after, limit)
          assertTrue(page.length <= limit, `a page has at most ${limit}, not ${page.length}`)
          found.push(...page.map(({ petId, seq }) => [petId, seq]))
          const last = page.at(-1)
          if (last === undefined) break
          after = last
        }
        assertEqual(found, every, `the scan by ${limit}`)
      }
    }),

  "the seq of a movement that is rolled back is used by the next one": (store) =>
    Effect.gen(function* () {
      const petId = yield* givenPet(store)
      yield* Effect.exit(
        store.transact(Effect.andThen(store.movements.append(newMovement(petId, 2, "held")), Effect.fail("no")))
      )
      yield* store.transact(store.movements.append(newMovement(petId, 2, "set")))
      assertEqual(
        (yield* store.movements.list(petId, 0, 10)).map(({ kind }) => kind),
        ["initial", "set"]
      )
    })
})
