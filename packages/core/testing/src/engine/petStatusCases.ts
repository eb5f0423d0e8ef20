import type { PetstoreApi } from "@petstore/core"
import type { PetStatus } from "@petstore/core/domain"
import { assertEqual } from "../check.ts"
import { engineCases } from "./cases.ts"
import { heldPetOf, orderOf, petOf } from "./given.ts"
import { assertUnchanged, stockOf } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

const ask = async (petstore: PetstoreApi, petId: number, status: PetStatus) =>
  (await petstore.pets.update(petId, { status })).status

const orderOne = (petstore: PetstoreApi, petId: number) => petstore.orders.place({ petId })

/** A pet with all its units reserved. */
const reservedPetOf = async (petstore: PetstoreApi, onHand: number) => {
  const petId = await petOf(petstore, onHand)
  await orderOf(petstore, petId, onHand)
  return petId
}

export const petStatusCases = engineCases("pet status", {
  "available to available changes nothing": async (petstore) => {
    const id = await petOf(petstore, 2)
    await assertUnchanged(petstore, [id], async () => assertEqual(await ask(petstore, id, "available"), "available"))
  },
  "available to pending puts the pet on hold: no new orders": async (petstore) => {
    const id = await petOf(petstore, 2)
    assertEqual(await ask(petstore, id, "pending"), "pending")
    assertEqual(await stockOf(petstore, id), { status: "pending", quantity: 2, reserved: 0, available: 0 })
    await rejectsWith("pet_not_available", orderOne(petstore, id), { petId: id, status: "pending", quantity: 2 })
  },
  "on hold, open orders go on: they are completed and cancelled": async (petstore) => {
    const id = await petOf(petstore, 5)
    const [first, second] = [await orderOf(petstore, id, 2), await orderOf(petstore, id, 1)]
    await ask(petstore, id, "pending")
    await petstore.orders.complete(first)
    await petstore.orders.cancel(second)
    assertEqual(await stockOf(petstore, id), { status: "pending", quantity: 3, reserved: 0, available: 0 })
  },
  "available to sold writes off what is on hand": async (petstore) => {
    const id = await petOf(petstore, 2)
    assertEqual(await ask(petstore, id, "sold"), "sold")
    assertEqual(await stockOf(petstore, id), { status: "sold", quantity: 0, reserved: 0, available: 0 })
  },
  "available to sold is rejected while units are reserved": async (petstore) => {
    const id = await petOf(petstore, 5)
    await orderOf(petstore, id, 2)
    await assertUnchanged(petstore, [id], () =>
      rejectsWith("pet_has_open_orders", ask(petstore, id, "sold"), { petId: id, reserved: 2 })
    )
  },
  "pending by a hold to available ends the hold": async (petstore) => {
    const id = await heldPetOf(petstore, 2)
    assertEqual(await ask(petstore, id, "available"), "available")
    assertEqual(await stockOf(petstore, id), { status: "available", quantity: 2, reserved: 0, available: 2 })
    await orderOf(petstore, id, 2)
  },
  "pending by a hold with all units reserved to available ends the hold and stays pending": async (petstore) => {
    const id = await reservedPetOf(petstore, 2)
    await ask(petstore, id, "pending")
    assertEqual(await ask(petstore, id, "available"), "pending")
    await rejectsWith("insufficient_stock", orderOne(petstore, id), { petId: id, requested: 1, available: 0 })
    await rejectsWith("pet_reserved", ask(petstore, id, "available"), { petId: id, reserved: 2 })
  },
  "pending by reservations to available is rejected": async (petstore) => {
    const id = await reservedPetOf(petstore, 2)
    await assertUnchanged(petstore, [id], () =>
      rejectsWith("pet_reserved", ask(petstore, id, "available"), { petId: id, reserved: 2 })
    )
  },
  "pending by a hold to pending changes nothing": async (petstore) => {
    const id = await heldPetOf(petstore, 2)
    await assertUnchanged(petstore, [id], async () => assertEqual(await ask(petstore, id, "pending"), "pending"))
  },
  "pending by reservations to pending puts the pet on hold": async (petstore) => {
    const id = await petOf(petstore, 2)
    const order = await orderOf(petstore, id, 2)
    assertEqual(await ask(petstore, id, "pending"), "pending")
    await petstore.orders.cancel(order)
    assertEqual(await stockOf(petstore, id), { status: "pending", quantity: 2, reserved: 0, available: 0 })
  },
  "pending by a hold to sold writes off what is on hand and ends the hold": async (petstore) => {
    const id = await heldPetOf(petstore, 2)
    assertEqual(await ask(petstore, id, "sold"), "sold")
    await petstore.inventory.set(id, 1)
    assertEqual(await stockOf(petstore, id), { status: "available", quantity: 1, reserved: 0, available: 1 })
  },
  "pending to sold is rejected while units are reserved": async (petstore) => {
    const reserved = await reservedPetOf(petstore, 2)
    const held = await petOf(petstore, 3)
    await orderOf(petstore, held, 1)
    await ask(petstore, held, "pending")
    await assertUnchanged(petstore, [reserved, held], async () => {
      await rejectsWith("pet_has_open_orders", ask(petstore, reserved, "sold"), { petId: reserved, reserved: 2 })
      await rejectsWith("pet_has_open_orders", ask(petstore, held, "sold"), { petId: held, reserved: 1 })
    })
  },
  "sold to available is rejected: restocking goes through the inventory": async (petstore) => {
    const id = await petOf(petstore, 0)
    await assertUnchanged(petstore, [id], () =>
      rejectsWith("invalid_status_transition", ask(petstore, id, "available"), {
        petId: id,
        from: "sold",
        to: "available"
      })
    )
  },
  "sold to pending is rejected": async (petstore) => {
    const id = await petOf(petstore, 0)
    await assertUnchanged(petstore, [id], () =>
      rejectsWith("invalid_status_transition", ask(petstore, id, "pending"), { petId: id, from: "sold", to: "pending" })
    )
  },
  "sold to sold changes nothing": async (petstore) => {
    const id = await petOf(petstore, 0)
    await assertUnchanged(petstore, [id], async () => assertEqual(await ask(petstore, id, "sold"), "sold"))
  },
  "reserving the last free unit makes the pet pending, releasing it available": async (petstore) => {
    const id = await petOf(petstore, 2)
    await orderOf(petstore, id, 1)
    assertEqual((await stockOf(petstore, id)).status, "available")
    const last = await orderOf(petstore, id, 1)
    assertEqual((await stockOf(petstore, id)).status, "pending")
    await petstore.orders.cancel(last)
    assertEqual((await stockOf(petstore, id)).status, "available")
  },
  "releasing units of a pet on hold keeps it pending": async (petstore) => {
    const id = await petOf(petstore, 2)
    const order = await orderOf(petstore, id, 2)
    await ask(petstore, id, "pending")
    await petstore.orders.update(order, { quantity: 1 })
    assertEqual((await stockOf(petstore, id)).status, "pending")
    await petstore.orders.cancel(order)
    assertEqual((await stockOf(petstore, id)).status, "pending")
  },
  "shipping the last unit makes the pet sold": async (petstore) => {
    const id = await petOf(petstore, 2)
    const [first, last] = [await orderOf(petstore, id, 1), await orderOf(petstore, id, 1)]
    await petstore.orders.complete(first)
    assertEqual((await stockOf(petstore, id)).status, "pending")
    await petstore.orders.complete(last)
    assertEqual((await stockOf(petstore, id)).status, "sold")
  },
  "restocking a sold pet makes it available": async (petstore) => {
    const id = await petOf(petstore, 0)
    assertEqual((await petstore.inventory.set(id, 3)).status, "available")
    assertEqual((await petstore.pets.get(id)).status, "available")
  },
  "a hold ends when the stock is set to 0": async (petstore) => {
    const id = await heldPetOf(petstore, 2)
    await petstore.inventory.set(id, 0)
    assertEqual((await petstore.inventory.set(id, 2)).status, "available")
  },
  "a hold ends when the last unit is shipped": async (petstore) => {
    const id = await petOf(petstore, 2)
    const order = await orderOf(petstore, id, 2)
    await ask(petstore, id, "pending")
    await petstore.orders.complete(order)
    assertEqual((await petstore.inventory.set(id, 2)).status, "available")
  }
})
