import type { PetstoreApi } from "@petstore/core"

/** An id that nothing has. */
export const unknown = 4_711

let categories = 0

/** A new category with a unique name. */
export const category = async (petstore: PetstoreApi): Promise<number> =>
  (await petstore.categories.create({ name: `Category ${++categories}` })).id

/** A new pet in a new category, with these units on hand, all of them free. */
export const petOf = async (petstore: PetstoreApi, onHand: number): Promise<number> => {
  const { id } = await petstore.pets.create({ name: "Rex", categoryId: await category(petstore) })
  if (onHand !== 1) await petstore.inventory.set(id, onHand)
  return id
}

/** A new pet on hold. */
export const heldPetOf = async (petstore: PetstoreApi, onHand: number): Promise<number> => {
  const id = await petOf(petstore, onHand)
  await petstore.pets.update(id, { status: "pending" })
  return id
}

/** A new order of these units of a pet. */
export const orderOf = async (petstore: PetstoreApi, petId: number, quantity = 1): Promise<number> =>
  (await petstore.orders.place({ petId, quantity })).id
