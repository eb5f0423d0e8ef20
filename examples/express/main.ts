import { setTimeout as wait } from "node:timers/promises"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { createHandler, type HostPrincipal } from "@petstore/http"
import express, { type Request } from "express"

const users = new Map<string | undefined, HostPrincipal>([
  ["session=sara", { actor: "sara", accountId: 1, scopes: ["admin"] }],
  ["session=carl", { actor: "carl", scopes: ["pets:read", "inventory:read", "orders:own"] }],
  ["session=dora", { actor: "dora", scopes: ["pets:read", "inventory:read", "orders:own"] }]
])

const petstore = await createPetstore({ storage: sqlite("shop.db") })
const api = createHandler(petstore, {
  mountPath: "/petstore",
  authenticate: (request: Request) => users.get(request.headers.cookie)
})

const app = express()
app.use(express.json())
app.use("/petstore", api.node)
app.get("/", async (_request, response) => {
  const { items } = await petstore.pets.list({ status: "available" })
  response.type("text").send(`For sale: ${items.map((pet) => pet.name).join(", ") || "nothing yet"}\n`)
})

const port = Number(process.env.PORT ?? 3000)
const server = app.listen(port, "127.0.0.1", () => console.log("Listening on", server.address()))

process.once("SIGTERM", async () => {
  await Promise.all([api.close(), wait(500)]) // finishes API requests, those already on their way included
  await server[Symbol.asyncDispose]() // finishes the shop's own requests
  await petstore.close() // no request needs the data any more
  console.log("Closed")
})
