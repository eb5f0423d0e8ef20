import type { OrderContent } from "@petstore/core/domain"
import { type OrderQuery, ordersBy } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { anOrderRecord } from "../builders.ts"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { addOrder, addPet, at, givenPet } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"

const draft: OrderContent = { state: "draft" }
const open = (petId: number): OrderContent => ({ state: "open", petId, quantity: 1 })
const complete = (petId: number): OrderContent => ({ state: "complete", petId, quantity: 1, shipDate: at(5) })

const given = (store: TestedStore, order: OrderContent) => store.transact(addOrder(store, order))

const ids = (store: TestedStore, query: Partial<OrderQuery>) =>
  Effect.map(store.select(ordersBy, { after: 0, ...query }, 100), (orders) => orders.map(({ id }) => id))

export const orderCases = storageCases("storage: orders", {
  "an order moves between filtered lists as it changes": (store) =>
    Effect.gen(function* () {
      const rex = yield* givenPet(store)
      const max = yield* store.transact(addPet(store, 1, { name: "Max" }))
      const id = yield* given(store, draft)
      const places = Effect.all([
        ids(store, { petId: rex, complete: false }),
        ids(store, { petId: max, complete: false }),
        ids(store, { petId: max, complete: true }),
        ids(store, { complete: false })
      ])
      const after = (order: OrderContent) =>
        Effect.andThen(store.transact(store.orders.save(anOrderRecord({ id, order, version: 2 }))), places)
      assertEqual(yield* places, [[], [], [], [id]])
      assertEqual(yield* after(open(rex)), [[id], [], [], [id]])
      assertEqual(yield* after(open(max)), [[], [id], [], [id]])
      assertEqual(yield* after(complete(max)), [[], [], [id], []])
    })
})
