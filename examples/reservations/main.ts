import { setTimeout } from "node:timers/promises"
import { createPetstore, NotFound } from "@petstore/core"

await using petstore = await createPetstore({ reservations: { expireAfter: "15 minutes" } })

const rabbits = await petstore.categories.create({ name: "Rabbits" })
const flopsy = await petstore.pets.create({ name: "Flopsy", categoryId: rabbits.id })

// Ada leaves without paying. So that this example ends soon, she gets a tenth of a second instead of 15 minutes.
const left = await petstore.as({ user: "ada" }).orders.place({ petId: flopsy.id }, { reserveFor: 100 })
console.log(`order ${left.id} holds the last rabbit`)

// An order that is overdue expires soon, and at once when somebody wants what it holds.
await setTimeout(150)
const order = await petstore.as({ user: "bob" }).orders.place({ petId: flopsy.id })
for await (const { subject } of petstore.events.all({ types: ["order.expired"] })) console.log(`${subject} has expired`)

// Bob needs longer to find his card, and the shop gives him half an hour.
const { expiresAt } = await petstore.orders.reservation(order.id)
const later = await petstore.orders.setReservation(order.id, { reserveFor: "30 minutes" })
console.log(`order ${order.id} has more time: ${later.expiresAt > expiresAt}`)
await petstore.orders.complete(order.id)

try {
  await petstore.orders.reservation(order.id)
} catch (error) {
  if (!(error instanceof NotFound)) throw error
  console.log(`order ${order.id} is paid, and does not expire`)
}
