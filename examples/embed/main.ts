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

// A breeder delivers, and the shop takes the litter in: all of it or none.
const litter = await petstore.pets.createAll(
  ["Mopsy", "Cotton-tail", "Peter"].map((name) => ({ name, categoryId: rabbits.id }))
)
await petstore.inventory.adjust(flopsy.id, { delta: 4, reason: "received", note: "Delivery 4711" })
console.log(`${litter.length} new rabbits`)

for await (const { deltaOnHand, kind, note = "" } of petstore.inventory.allMovements(flopsy.id)) {
  if (deltaOnHand !== 0) console.log(`${kind} ${deltaOnHand} ${note}`.trim())
}

const benjamin = await petstore.transaction(async (tx) => {
  const pet = await tx.pets.create({ name: "Benjamin", categoryId: rabbits.id })
  await tx.orders.placeAll([{ petId: flopsy.id }, { petId: pet.id }])
  return pet
})
const { available } = await petstore.inventory.get(benjamin.id)
console.log(`${benjamin.name} came and was ordered with Flopsy: ${available} left`)
