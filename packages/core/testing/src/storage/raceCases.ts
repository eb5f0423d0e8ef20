import type { PetRecord } from "@petstore/core/tables"
import { movementsOf, ordersBy } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { atOnce } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { outcome } from "./outcomes.ts"
import { addUnits, givenPet, reserveUnits } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"
import { readLog } from "./watching.ts"

const units = (onHand: number) => ({ stock: { onHand, reserved: 0, held: false } })

/** Throws unless the stock of a pet agrees with its ledger and its orders, with this number of units reserved. */
const checkStock = Effect.fnUntraced(function* (store: TestedStore, id: number, reserved: number) {
  const pet = yield* store.pets.find(id)
  const movements = yield* store.select(movementsOf, { petId: id, after: 0 }, 10_000)
  const orders = yield* store.select(ordersBy, { petId: id, complete: false, after: 0 }, 10_000)
  assertEqual(pet?.stock.reserved, reserved, "the units that are reserved")
  assertEqual(
    movements.map(({ seq }) => seq),
    movements.map((_, index) => index + 1),
    "the seqs of the ledger"
  )
  assertEqual(pet?.lastMovement, movements.length, "the last movement")
  assertEqual(
    movements.reduce((sum, { deltaReserved }) => sum + deltaReserved, 0),
    reserved,
    "the sum of the ledger"
  )
  assertEqual(
    orders.reduce((sum, { order }) => sum + (order.quantity ?? 0), 0),
    reserved,
    "the sum of the orders"
  )
})

/** The outcomes of as many reservations at once, each of one unit, on these stores in turn. */
const race = (stores: ReadonlyArray<TestedStore>, petId: number, racers: number) =>
  Effect.map(
    atOnce(racers, (index) => {
      const store = stores[index % stores.length]
      return store === undefined
        ? Effect.die(new Error("There is no store"))
        : Effect.exit(store.run((tx) => reserveUnits(tx, petId)))
    }),
    (exits) => exits.map(outcome)
  )

const count = (outcomes: ReadonlyArray<string>, wanted: string) => outcomes.filter((one) => one === wanted).length

export const raceCases = storageCases("storage: races", {
  *"of 25 and 25 concurrent reservations of 10 units, on two stores of one database, exactly 10 succeed"(
    store,
    { openAnother }
  ) {
    const id = yield* givenPet(store, units(10))
    const another = yield* openAnother(store)
    const outcomes = yield* race([store, another], id, 50)
    assertEqual([count(outcomes, "ok"), count(outcomes, "InsufficientStock")], [10, 40])
    yield* checkStock(store, id, 10)
    yield* checkStock(another, id, 10)
    assertEqual(
      (yield* readLog(another, 10)).map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    )
  },

  *"no change is lost if many change one row concurrently, on two stores"(store, { openAnother }) {
    const id = yield* givenPet(store, units(1))
    const another = yield* openAnother(store)
    yield* atOnce(60, (index) => (index % 2 === 0 ? store : another).run((tx) => addUnits(tx, id)))
    const pet: PetRecord | undefined = yield* store.pets.find(id)
    assertEqual([pet?.stock.onHand, pet?.stockVersion, pet?.lastMovement], [61, 61, 61])
    assertEqual(yield* another.pets.find(id), pet)
  }
})
