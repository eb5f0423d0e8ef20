import type { PetstoreApi } from "@petstore/core"
import type { OrderUpdate } from "@petstore/core/domain"
import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { orderOf, petOf } from "./given.ts"
import { assertUnchanged, stockOf } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

/** Checks that a change of an order is accepted and changes nothing. */
const isNoChange = async (petstore: PetstoreApi, orderId: number, update: OrderUpdate) => {
  const before = await petstore.orders.get(orderId)
  assertEqual(await petstore.orders.update(orderId, update), before)
  assertEqual(await petstore.orders.get(orderId), before)
}

/** The reserved units of each pet. */
const reserved = (petstore: PetstoreApi, ...petIds: ReadonlyArray<number>) =>
  Promise.all(petIds.map(async (petId) => (await stockOf(petstore, petId)).reserved))

export const orderAmendmentCases = petstoreCases("order amendments", {
  "a draft that gets a pet opens, with one unit if it has no quantity": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const { id } = await petstore.orders.place({})
    assertEqual(await petstore.orders.update(id, { petId }), { id, petId, quantity: 1, complete: false, version: 2 })
    assertEqual(await reserved(petstore, petId), [1])
  },
  "the ship date of an open order is set, changed and removed": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const id = await orderOf(petstore, petId, 2)
    const open = { id, petId, quantity: 2, complete: false }
    assertEqual(await petstore.orders.update(id, { shipDate: "2030-01-01T00:00:00Z" }), {
      ...open,
      shipDate: "2030-01-01T00:00:00.000Z",
      version: 2
    })
    assertEqual((await petstore.orders.update(id, { shipDate: "2031-01-01T00:00:00Z" })).version, 3)
    assertEqual(await petstore.orders.update(id, { shipDate: null }), { ...open, version: 4 })
  },
  "a no-op change of an open order is accepted": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const { id } = await petstore.orders.place({ petId, quantity: 2, shipDate: "2030-01-01T00:00:00Z" })
    await assertUnchanged(petstore, [petId], async () => {
      await isNoChange(petstore, id, {})
      await isNoChange(petstore, id, { complete: false })
      await isNoChange(petstore, id, { petId, quantity: 2, shipDate: "2030-01-01T02:00:00+02:00", complete: false })
    })
  },
  "an id that is sent with an update is ignored": async (petstore) => {
    const [first, second] = [await petstore.orders.place({}), await petstore.orders.place({})]
    assertEqual((await petstore.orders.update(first.id, { id: second.id, quantity: 2 })).id, first.id)
    assertEqual(await petstore.orders.get(second.id), second)
  },
  "any other change of a complete order is rejected": async (petstore) => {
    const [petId, other] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    const order = await petstore.orders.place({ petId, quantity: 2, complete: true })
    const changes: ReadonlyArray<OrderUpdate> = [
      { quantity: 1 },
      { petId: other },
      { shipDate: "2031-01-01T00:00:00Z" },
      { shipDate: null },
      { complete: false },
      { quantity: 1, complete: true }
    ]
    await assertUnchanged(petstore, [petId, other], async () => {
      for (const change of changes) {
        await rejectsWith("order_already_complete", petstore.orders.update(order.id, change), { orderId: order.id })
      }
    })
    assertEqual(await petstore.orders.get(order.id), order)
  }
})
