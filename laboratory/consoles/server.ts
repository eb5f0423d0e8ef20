// A shop on SQLite with the console: `node server.ts FILE KEY CONSOLES`. Its first message has the port, and a key for each console.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"
import { addKeys, addPets } from "../load/furnish.ts"

const [, , file = "", adminKey = "", consoles = "0"] = process.argv
const petstore = await createPetstore({ storage: sqlite(file) })
await addPets(petstore, 50)
const { keys } = await addKeys(petstore, "read", Number(consoles))
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
