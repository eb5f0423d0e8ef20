import type { PetstoreApi } from "@petstore/core"
import type { PetStatus } from "@petstore/core/domain"
import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { orderOf, petOf } from "./given.ts"
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

export const petStatusCases = petstoreCases("pet status", {
  "available to pending puts the pet on hold: no new orders": async (petstore) => {
    const id = await petOf(petstore, 2)
    assertEqual(await ask(petstore, id, "pending"), "pending")
    assertEqual(await stockOf(petstore, id), { status: "pending", quantity: 2, reserved: 0, available: 0 })
    await rejectsWith("pet_not_available", orderOne(petstore, id), { petId: id, status: "pending", quantity: 2 })
  },
  "pending by a hold with all units reserved to available ends the hold and stays pending": async (petstore) => {
    const id = await reservedPetOf(petstore, 2)
    await ask(petstore, id, "pending")
    assertEqual(await ask(petstore, id, "available"), "pending")
    await rejectsWith("insufficient_stock", orderOne(petstore, id), { petId: id, requested: 1, available: 0 })
    await rejectsWith("pet_reserved", ask(petstore, id, "available"), { petId: id, reserved: 2 })
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
  }
})
