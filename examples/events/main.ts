import { readFile, writeFile } from "node:fs/promises"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"

await using petstore = await createPetstore({ storage: sqlite("petstore.db") })

// The buyer restocks pets that are sold out.
await petstore.events.subscribe(({ data }) => data.status === "sold" && petstore.inventory.set(data.id, 3), {
  types: ["pet.status_changed"]
})

const rabbits = await petstore.categories.create({ name: "Rabbits" })
const flopsy = await petstore.pets.create({ name: "Flopsy", categoryId: rabbits.id })
await petstore.orders.place({ petId: flopsy.id, complete: true })

// The mailer stores its position in a file, so that it misses nothing while it is not running.
const position = "mailer.txt"
const after = Number(await readFile(position, "utf8").catch(() => "0"))

for await (const event of petstore.events.stream({ after, types: ["order.completed", "pet.status_changed"] })) {
  if (event.type === "order.completed") {
    console.log(`To the customer of order ${event.data.id}: your pet is on its way`)
  } else {
    console.log(`To everyone: ${event.data.name} is ${event.data.status}`)
  }
  await writeFile(position, `${event.seq}`)
  if (event.type === "pet.status_changed" && event.data.status === "available") break
}

console.log(`next time the mailer starts after event ${await readFile(position, "utf8")}`)
