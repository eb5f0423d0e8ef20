import type { IncomingMessage } from "node:http"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { createHandler, type HostPrincipal } from "@petstore/http"
import fastify from "fastify"

declare module "fastify" {
  interface FastifyRequest {
    user: HostPrincipal | undefined
  }
}

const users = new Map<unknown, HostPrincipal>([
  ["sara", { actor: "sara", accountId: 1, scopes: ["admin"] }],
  ["carl", { actor: "carl", scopes: ["pets:read", "inventory:read", "orders:own"] }],
  ["dora", { actor: "dora", scopes: ["pets:read", "inventory:read", "orders:own"] }]
])

const petstore = await createPetstore({ storage: sqlite("shop.db") })
const api = createHandler(petstore, {
  mountPath: "/petstore",
  authenticate: ({ user }: IncomingMessage & { readonly user?: HostPrincipal }) => user
})

const app = fastify()
app.decorateRequest("user", undefined)
app.addHook("onRequest", async (request) => {
  request.user = users.get(request.headers["x-user"]) // set by the proxy in front
})
app.all("/petstore/*", ({ body, raw, user }, reply) => {
  reply.hijack()
  api.node(Object.assign(raw, { body, user }), reply.raw)
})
app.get("/", async () => {
  const { items } = await petstore.pets.list({ status: "available" })
  return { forSale: items.map((pet) => pet.name) }
})
app.addHook("preClose", () => api.close()) // finishes API requests
app.addHook("onClose", () => petstore.close()) // no request needs the data any more

console.log(`Listening on ${await app.listen({ port: Number(process.env.PORT ?? 3000) })}`)

process.once("SIGTERM", async () => {
  await app.close()
  console.log("Closed")
})
