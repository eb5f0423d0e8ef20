// A shop on SQLite with the console: `node server.ts FILE KEY CONSOLES`. Its first message has the port, and a key for each console.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"

const [, , file = "", adminKey = "", consoles = "0"] = process.argv
const petstore = await createPetstore({ storage: sqlite(file) })
const { id: categoryId } = await petstore.categories.create({ name: "Fish" })
for (let number = 1; number <= 50; number++) {
  const { id } = await petstore.pets.create({ name: `Guppy ${number}`, categoryId })
  await petstore.inventory.set(id, 1_000_000)
}
const { id: accountId } = await petstore.accounts.create({ name: "Operators" })
const keys: Array<string> = []
for (let number = 1; number <= Number(consoles); number++) {
  keys.push((await petstore.apiKeys.create({ accountId, name: `console ${number}`, preset: "read" })).key)
}
const handler = createHandler(petstore, { console: true, adminKey })
const server = createServer(handler.node).listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port, keys })
})
// Each message asks for the processor time so far, in milliseconds.
process.on("message", () => {
  const { system, user } = process.cpuUsage()
  process.send?.((system + user) / 1_000)
})
process.once("disconnect", () => process.exit())
