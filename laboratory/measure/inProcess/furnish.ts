import type { Petstore } from "@petstore/core"

/** How many pets a furnished petstore has. */
export const pets = 1_000

/** The id of the pet that a call is about. */
export const idOf = (call: number): number => 1 + ((call * 7) % pets)

/** Adds pets that never sell out, whose ids are 1 to 1,000, unless another process has. */
export const furnish = async (petstore: Petstore): Promise<Petstore> => {
  if ((await petstore.pets.list({ limit: 1 })).items.length > 0) return petstore
  const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
  await petstore.pets.createAll(Array.from({ length: pets }, (_, n) => ({ name: `Cat ${n}`, categoryId })))
  const stock = Array.from({ length: pets }, (_, n) => ({
    petId: 1 + n,
    delta: 1_000_000,
    reason: "received" as const
  }))
  await petstore.inventory.adjustAll(stock)
  return petstore
}
