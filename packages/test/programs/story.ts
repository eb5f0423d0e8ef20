import { createPetstore, InsufficientStock, type PetstoreOptions } from "@petstore/core"

/** What an application does with a petstore, and what comes of it. */
export const story = async (options?: PetstoreOptions) => {
  const petstore = await createPetstore(options)
  const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
  const tom = await petstore.pets.create({ name: "Tom", categoryId })
  const order = await petstore.orders.place({ petId: tom.id })
  const refused = await petstore.orders
    .place({ petId: tom.id, quantity: 2 })
    .catch((error: unknown) => error instanceof InsufficientStock && error.code)
  const { complete } = await petstore.orders.complete(order.id)
  const { ok } = await petstore.verify()
  await petstore.close()
  return { complete, refused, ok }
}
