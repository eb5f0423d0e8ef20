import { limits, type Stock } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { allRows } from "./allRows.ts"
import { storageCases } from "./cases.ts"
import { wasRefused } from "./outcomes.ts"
import { inTurn } from "./programs.ts"
import { addOrder, givenPet, newCategory, newDelivery, newWebhookRecord } from "./rows.ts"
import type { Part, TestedStore, TestedTransaction } from "./TestedStore.ts"

const impossible: ReadonlyArray<Stock> = [
  { onHand: 3, reserved: 4, held: false },
  { onHand: 3, reserved: -1, held: false },
  { onHand: -1, reserved: -1, held: false },
  { onHand: 0, reserved: 0, held: true },
  { onHand: limits.stock + 1, reserved: 0, held: false }
]

/** Throws unless the store rejects the command, and nothing of it is left. */
const refuses = Effect.fnUntraced(function* (
  store: TestedStore,
  what: string,
  part: (tx: TestedTransaction) => Part<unknown>
) {
  const before = yield* allRows(store)
  wasRefused(yield* Effect.exit(store.run((tx) => inTurn(tx.categories.insert(newCategory("Lost")), part(tx)))))
  assertEqual(yield* allRows(store), before, `everything after ${what}`)
})

export const constraintCases = storageCases("storage: constraints", {
  *"an invalid stock is rejected, of a new pet and of one that is saved"(store) {
    const id = yield* givenPet(store, { stock: { onHand: 3, reserved: 1, held: false } })
    const pet = yield* store.pets.find(id)
    if (pet === undefined) return yield* Effect.die(new Error("The pet is gone"))
    for (const stock of impossible) {
      const what = JSON.stringify(stock)
      yield* refuses(store, `adding ${what}`, (tx) => tx.pets.insert({ ...pet, stock }))
      yield* refuses(store, `saving ${what}`, (tx) => tx.pets.save({ ...pet, stock }))
    }
  },

  *"a deleted pet with stock is rejected"(store) {
    const id = yield* givenPet(store)
    const pet = yield* store.pets.find(id)
    if (pet === undefined) return yield* Effect.die(new Error("The pet is gone"))
    yield* refuses(store, "a tombstone with stock", (tx) => tx.pets.save({ ...pet, deleted: true }))
  },

  *"a second delivery of an event to the same endpoint is rejected"(store) {
    const webhookId = yield* store.run((tx) => tx.webhooks.insert(newWebhookRecord()))
    yield* store.run((tx) => tx.deliveries.insert(newDelivery(webhookId, 1)))
    yield* refuses(store, "the same event again", (tx) => tx.deliveries.insert(newDelivery(webhookId, 1)))
  },

  *"an open or complete order without a required field is rejected"(store) {
    const petId = yield* givenPet(store)
    yield* refuses(store, "an open order of nothing", (tx) => addOrder(tx, { state: "open" }))
    yield* refuses(store, "an open order of no quantity", (tx) => addOrder(tx, { state: "open", petId }))
    yield* refuses(store, "an undated complete order", (tx) => addOrder(tx, { state: "complete", petId, quantity: 1 }))
  }
})
