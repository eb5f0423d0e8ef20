import { createPetstore, InsufficientStock } from "@petstore/core"

await using petstore = await createPetstore()

const rabbits = await petstore.categories.create({ name: "Rabbits" })
const flopsy = await petstore.pets.create({ name: "Flopsy", categoryId: rabbits.id })
await petstore.inventory.set(flopsy.id, 2)

const order = await petstore.orders.place({ petId: flopsy.id })
console.log(`order ${order.id} reserves ${order.quantity} of 2`)

try {
  await petstore.orders.place({ petId: flopsy.id, quantity: 2 })
} catch (error) {
  if (!(error instanceof InsufficientStock)) throw error
  console.log(`rejected: ${error.details.available} left`)
}

await petstore.orders.complete(order.id)
const { quantity, status } = await petstore.inventory.get(flopsy.id)
console.log(`${quantity} on hand, ${status}`)

const mopsy = await petstore.transaction(async (tx) => {
  const pet = await tx.pets.create({ name: "Mopsy", categoryId: rabbits.id })
  await tx.orders.placeAll([{ petId: flopsy.id }, { petId: pet.id }])
  return pet
})
const { available } = await petstore.inventory.get(mopsy.id)
console.log(`${mopsy.name} came and was ordered with Flopsy: ${available} left`)
