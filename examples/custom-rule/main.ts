import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"
import { Redacted } from "effect"
import { atMostTwoPuppies, noReptilesByMail, TooManyPuppies } from "./rules.ts"

await using petstore = await createPetstore({ rules: { order: [noReptilesByMail, atMostTwoPuppies] } })

const puppies = await petstore.categories.create({ name: "Puppies" })
const reptiles = await petstore.categories.create({ name: "Reptiles" })
const beagle = await petstore.pets.create({ name: "Beagle", categoryId: puppies.id })
const iguana = await petstore.pets.create({ name: "Iguana", categoryId: reptiles.id })
await petstore.inventory.set(beagle.id, 5)

const order = await petstore.orders.place({ petId: beagle.id, quantity: 2 })
console.log(`order ${order.id} is placed`)

try {
  await petstore.orders.update(order.id, { quantity: 3 })
} catch (error) {
  if (!(error instanceof TooManyPuppies)) throw error
  console.log(`rejected: at most ${error.details.limit}`)
}

const adminKey = Redacted.make("an-admin-key-for-this-example")
const handler = createHandler(petstore, { adminKey })
const response = await handler.fetch(
  new Request("http://localhost/v1/store/orders", {
    method: "POST",
    headers: { authorization: `Bearer ${Redacted.value(adminKey)}`, "content-type": "application/json" },
    body: JSON.stringify({ petId: iguana.id })
  })
)
console.log(response.status, await response.json())
await handler.close()
