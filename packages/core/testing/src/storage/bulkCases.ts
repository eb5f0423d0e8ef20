import type { PetRecord } from "@petstore/core/tables"
import { movementsOf } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual, assertTrue } from "../check.ts"
import { allRows } from "./allRows.ts"
import { upTo } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { givenCategory, newEvent, newMovement, newPet } from "./rows.ts"
import type { TestedTransaction } from "./TestedStore.ts"
import { readLog, untilLatest } from "./watching.ts"

/** Pets that differ in each field. */
const differentPets = (categoryId: number, count: number): ReadonlyArray<PetRecord> =>
  upTo(count).map((n) =>
    newPet(categoryId, {
      name: `Pet ${n}${["", " é", " 🐶"][n % 3]}`,
      version: n,
      stock: { onHand: n, reserved: n % 2, held: n % 5 === 0 },
      stockVersion: n + 1,
      lastMovement: 2
    })
  )

const addAll = function* (tx: TestedTransaction, added: ReadonlyArray<PetRecord>) {
  const ids = yield* tx.pets.insertAll(added)
  yield* tx.movements.insertAll(
    ids.flatMap((id) => [newMovement(id, 1, "initial"), { ...newMovement(id, 2, "set"), deltaOnHand: id }])
  )
  yield* tx.events.append(...ids.map((id) => newEvent(id)))
  return ids
}

export const bulkCases = storageCases("storage: many rows at a time", {
  *"pets, movements and events that are added together are found as they were added, in their order"(store) {
    const categoryId = yield* givenCategory(store)
    // More than one statement of an adapter takes, and no round number.
    const added = differentPets(categoryId, 333)
    const ids = yield* store.run((tx) => addAll(tx, added))
    assertEqual(
      ids.toSorted((a, b) => a - b),
      ids,
      "the ids, which ascend"
    )
    assertEqual(
      yield* store.pets.scan([], 1_000),
      added.map((pet, index) => ({ ...pet, id: ids[index] ?? 0 }))
    )
    assertEqual(
      yield* store.movements.scan([], 1_000),
      ids.flatMap((id) => [newMovement(id, 1, "initial"), { ...newMovement(id, 2, "set"), deltaOnHand: id }])
    )
    assertEqual(
      (yield* readLog(store, ids.length)).map(({ id, seq }) => [seq, id]),
      ids.map((id, index) => [index + 1, `evt_${id}`])
    )
  },

  *"no rows are added if there are none, and one if there is one"(store) {
    const categoryId = yield* givenCategory(store)
    const before = yield* allRows(store)
    assertEqual(yield* store.run((tx) => addAll(tx, [])), [])
    assertEqual(yield* allRows(store), before)
    const [id = 0, ...more] = yield* store.run((tx) => addAll(tx, differentPets(categoryId, 1)))
    assertEqual(more, [])
    assertEqual((yield* store.pets.find(id))?.version, 1)
    yield* untilLatest(store, 1)
  },

  *"rows that are added together can be read and locked in the same transaction, and rows can be added after them"(
    store
  ) {
    const categoryId = yield* givenCategory(store)
    const [first, last, next] = yield* store.run(function* (tx) {
      const ids = yield* addAll(tx, differentPets(categoryId, 9))
      const [first = 0] = ids
      const last = ids.at(-1) ?? 0
      assertEqual((yield* tx.pets.lock(first))?.version, 1)
      assertEqual((yield* tx.pets.find(last))?.version, 9)
      const next = yield* tx.pets.insert(newPet(categoryId))
      yield* tx.movements.insert(newMovement(next, 1, "initial"))
      yield* tx.movements.insert(newMovement(last, 3, "set"))
      return [first, last, next] as const
    })
    assertTrue(first < last && last < next, `${next} is above ${last}, and that above ${first}`)
    assertEqual((yield* store.select(movementsOf, { petId: last, after: 0 }, 10)).length, 3)
  },

  *"if one of the rows is rejected, none is added"(store) {
    const categoryId = yield* givenCategory(store)
    const before = yield* allRows(store)
    const [one, ...others] = differentPets(categoryId, 20)
    if (one === undefined) return
    const rejected = [...others, { ...one, categoryId: categoryId + 99 }]
    const exit = yield* Effect.exit(store.run((tx) => tx.pets.insertAll(rejected)))
    assertTrue(exit._tag === "Failure", "a pet of no category is rejected")
    assertEqual(yield* allRows(store), before)
  }
})
