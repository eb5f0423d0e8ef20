import { readFile, writeFile } from "node:fs/promises"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"

await using petstore = await createPetstore({ storage: sqlite("petstore.db") })

// The buyer: what is sold out is bought again.
await petstore.events.subscribe(({ data }) => data.status === "sold" && petstore.inventory.set(data.id, 3), {
  types: ["pet.status_changed"]
})

const rabbits = await petstore.categories.create({ name: "Rabbits" })
const flopsy = await petstore.pets.create({ name: "Flopsy", categoryId: rabbits.id })
await petstore.orders.place({ petId: flopsy.id, complete: true })

// The mailer: it keeps its place in a file, so that it misses nothing while it is away.
const place = "mailer.txt"
const after = Number(await readFile(place, "utf8").catch(() => "0"))

for await (const event of petstore.events.stream({ after, types: ["order.completed", "pet.status_changed"] })) {
  if (event.type === "order.completed") {
    console.log(`To the customer of order ${event.data.id}: your pet is on its way`)
  } else {
    console.log(`To everyone: ${event.data.name} is ${event.data.status}`)
  }
  await writeFile(place, `${event.seq}`)
  if (event.type === "pet.status_changed" && event.data.status === "available") break
}

console.log(`next time the mailer begins behind event ${await readFile(place, "utf8")}`)
