import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import { type Caller, nextLink, parseCursor, problem } from "./Guard.ts"
import type { Peer } from "./Peer.ts"
import { Conflict, type NewOrder, transactionEach } from "./Shop.ts"

const id = { type: "integer" }
const status = { type: "string", enum: ["available", "pending", "sold"] }
const pet = { id, name: { type: "string" }, categoryId: id, status }
const petSchema = { type: "object", properties: pet }
const inventory = {
  type: "object",
  properties: { petId: id, quantity: id, status, reserved: id, available: id }
}
const params = { type: "object", properties: { petId: { type: "integer", minimum: 1 } } }
const orderFields = {
  petId: { type: "integer", minimum: 1 },
  quantity: { type: "integer", minimum: 1, maximum: 1_000_000 }
}

type Locals = Record<string, string>

declare module "fastify" {
  interface FastifyRequest {
    own: Locals
    caller: Caller
  }
}

/** Fastify as its documentation shows it: schemas for what comes in and for what goes out, hooks for the checks. */
export const fastify: Peer = async ({ database, guard, shop }) => {
  const app = Fastify({ http: { optimizeEmptyRequests: true }, bodyLimit: 262_144 })
  app.decorateRequest("caller")
  app.addHook("onRequest", async (request) => {
    request.own = guard.headers(request.headers["x-request-id"]?.toString())
  })
  const allow =
    (...scopes: ReadonlyArray<string>) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const permit = guard.admit(request.headers.authorization, scopes, request.own)
      reply.headers(request.own)
      if ("status" in permit) return reply.code(permit.status).send(problem(permit.status, permit.code))
      request.caller = permit
    }

  app.get<{ Params: { petId: number } }>(
    "/v1/store/pets/:petId",
    {
      schema: { params, response: { 200: { type: "object", properties: { ...pet, inventory } } } },
      onRequest: allow("pets:read", "inventory:read")
    },
    async (request, reply) => {
      const found = shop.petWithStock(request.params.petId)
      if (found === undefined) return reply.code(404).send(problem(404, "not_found"))
      if (request.headers["if-none-match"] === found.tag) return reply.code(304).send()
      reply.header("etag", found.tag)
      return found.body
    }
  )
  app.get<{ Querystring: { status: string; cursor?: string } }>(
    "/v1/pets",
    {
      schema: {
        querystring: {
          type: "object",
          properties: { status, limit: { type: "integer", minimum: 20, maximum: 20 }, cursor: { type: "string" } },
          required: ["status"],
          additionalProperties: false
        },
        response: { 200: { type: "array", items: petSchema } }
      },
      onRequest: allow("pets:read")
    },
    async (request, reply) => {
      const after = parseCursor(request.query.cursor)
      if (after === undefined) return reply.code(400).send(problem(400, "invalid_cursor"))
      const { items, next } = shop.page(request.query.status, after)
      if (next !== undefined) reply.header("link", nextLink(request.query.status, next))
      return items
    }
  )
  const transaction = transactionEach(database)
  app.post<{ Body: NewOrder }>(
    "/v1/store/orders",
    {
      schema: {
        body: { type: "object", properties: orderFields, required: ["petId", "quantity"], additionalProperties: false },
        response: { 201: { type: "object", properties: { id, ...orderFields, complete: { type: "boolean" } } } }
      },
      onRequest: allow("orders:write")
    },
    async (request, reply) => {
      try {
        const order = transaction(() => shop.place(request.body, request.caller))
        reply.code(201).headers({ etag: '"v1"', location: `/v1/store/orders/${order.id}` })
        return order
      } catch (error) {
        if (!(error instanceof Conflict)) throw error
        return reply.code(409).send(problem(409, error.code))
      }
    }
  )
  await app.listen({ port: 0, host: "127.0.0.1" })
  return app.server
}
