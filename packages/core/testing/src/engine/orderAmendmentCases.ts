import type { PetstoreApi } from "@petstore/core"
import type { OrderUpdate } from "@petstore/core/domain"
import { assertEqual } from "../check.ts"
import { engineCases } from "./cases.ts"
import { heldPetOf, orderOf, petOf, unknown } from "./given.ts"
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

export const orderAmendmentCases = engineCases("order amendments", {
  "a draft that gets a pet opens, with one unit if it has no quantity": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const { id } = await petstore.orders.place({})
    assertEqual(await petstore.orders.update(id, { petId }), { id, petId, quantity: 1, complete: false, version: 2 })
    assertEqual(await reserved(petstore, petId), [1])
  },
  "a draft changes its quantity and ship date without a pet": async (petstore) => {
    const { id } = await petstore.orders.place({ quantity: 3 })
    const update = { quantity: 7, shipDate: "2030-01-01T00:00:00.000Z" }
    assertEqual(await petstore.orders.update(id, update), { id, ...update, complete: false, version: 2 })
  },
  "a draft stays a draft if its pet is rejected": async (petstore) => {
    const [held, sold, few] = [await heldPetOf(petstore, 5), await petOf(petstore, 0), await petOf(petstore, 2)]
    const draft = await petstore.orders.place({ quantity: 3 })
    const give = (petId: number) => petstore.orders.update(draft.id, { petId })
    await assertUnchanged(petstore, [held, sold, few], async () => {
      await rejectsWith("unknown_pet", give(unknown), { petId: unknown })
      await rejectsWith("pet_not_available", give(held), { petId: held, status: "pending", quantity: 5 })
      await rejectsWith("pet_not_available", give(sold), { petId: sold, status: "sold", quantity: 0 })
      await rejectsWith("insufficient_stock", give(few), { petId: few, requested: 3, available: 2 })
    })
    assertEqual(await petstore.orders.get(draft.id), draft)
  },
  "a no-op change of a draft is accepted": async (petstore) => {
    const { id } = await petstore.orders.place({ quantity: 3 })
    await isNoChange(petstore, id, {})
    await isNoChange(petstore, id, { quantity: 3, complete: false, shipDate: null })
  },
  "the quantity of an open order cannot be raised above the free units": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await orderOf(petstore, petId, 1)
    const id = await orderOf(petstore, petId, 2)
    await assertUnchanged(petstore, [petId], () =>
      rejectsWith("insufficient_stock", petstore.orders.update(id, { quantity: 5 }), {
        petId,
        requested: 3,
        available: 2
      })
    )
    assertEqual((await petstore.orders.get(id)).quantity, 2)
  },
  "an open order stays with its pet if the other one is rejected": async (petstore) => {
    const [from, held, few] = [await petOf(petstore, 5), await heldPetOf(petstore, 5), await petOf(petstore, 1)]
    const id = await orderOf(petstore, from, 2)
    const move = (petId: number) => petstore.orders.update(id, { petId })
    await assertUnchanged(petstore, [from, held, few], async () => {
      await rejectsWith("unknown_pet", move(unknown), { petId: unknown })
      await rejectsWith("pet_not_available", move(held), { petId: held, status: "pending", quantity: 5 })
      await rejectsWith("insufficient_stock", move(few), { petId: few, requested: 2, available: 1 })
    })
    assertEqual((await petstore.orders.get(id)).petId, from)
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
  "a ship date is removed, and set again by shipping": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const { id } = await petstore.orders.place({ petId, shipDate: "1999-01-01T00:00:00Z" })
    const shipped = await petstore.orders.update(id, { shipDate: null, complete: true })
    assertEqual(shipped.shipDate !== undefined && shipped.shipDate > "2000", true)
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
  "a no-op change of a complete order is accepted": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const order = await petstore.orders.place({ petId, quantity: 2, complete: true })
    const { shipDate = "" } = order
    await assertUnchanged(petstore, [petId], async () => {
      await isNoChange(petstore, order.id, {})
      await isNoChange(petstore, order.id, { petId, quantity: 2, shipDate, complete: true })
    })
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
