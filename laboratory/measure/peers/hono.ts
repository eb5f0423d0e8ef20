import type { Server } from "node:http"
import { Hono } from "hono"
import { type Caller, idPattern, problem } from "./Guard.ts"
import { isNewOrder } from "./node.ts"
import type { Peer } from "./Peer.ts"
import { Conflict, transactionEach } from "./Shop.ts"

/** What it uses of a package that only the peers have. */
interface NodeServer {
  readonly serve: (options: object, listening: () => void) => Server
}

const nodeServer: string = "@hono/node-server"

/** Hono as its documentation shows it, on its server for Node.js. */
export const hono: Peer = async ({ database, guard, shop }) => {
  const { serve } = (await import(nodeServer)) as NodeServer
  const transaction = transactionEach(database)
  const app = new Hono<{ Variables: { caller: Caller } }>()
  app.use(async (context, next) => {
    const headers = guard.headers(context.req.header("x-request-id"))
    const scopes = context.req.method === "POST" ? ["orders:write"] : ["pets:read", "inventory:read"]
    const permit = guard.admit(context.req.header("authorization"), scopes, headers)
    for (const [name, value] of Object.entries(headers)) context.header(name, value)
    if ("status" in permit) return context.json(problem(permit.status, permit.code), permit.status)
    context.set("caller", permit)
    return next()
  })
  app.get("/v1/store/pets/:petId", (context) => {
    const id = context.req.param("petId")
    const found = idPattern.test(id) ? shop.petWithStock(Number(id)) : undefined
    if (found === undefined) return context.json(problem(404, "not_found"), 404)
    if (context.req.header("if-none-match") === found.tag) return context.body(null, 304)
    context.header("etag", found.tag)
    return context.json(found.body)
  })
  app.post("/v1/store/orders", async (context) => {
    const body: unknown = await context.req.json().catch(() => undefined)
    if (!isNewOrder(body)) return context.json(problem(400, "validation_failed"), 400)
    try {
      const order = transaction(() => shop.place(body, context.get("caller")))
      context.header("etag", '"v1"')
      context.header("location", `/v1/store/orders/${order.id}`)
      return context.json(order, 201)
    } catch (error) {
      if (error instanceof Conflict) return context.json(problem(409, error.code), 409)
      throw error
    }
  })
  return new Promise<Server>((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, () => resolve(server))
  })
}
