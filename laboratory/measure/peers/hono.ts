import type { Server } from "node:http"
import { Hono } from "hono"
import { type Caller, type Guard, idPattern, problem } from "./Guard.ts"
import { isNewOrder } from "./node.ts"
import type { Peer } from "./Peer.ts"
import { Conflict, type NewOrder, type PlacedOrder, type ServedShop, transactionEach } from "./Shop.ts"

/** What it uses of a package that only the peers have. */
interface NodeServer {
  readonly serve: (options: object, listening: () => void) => Server
}

const nodeServer: string = "@hono/node-server"

type Later<A> = A | Promise<A>

/** A shop whose orders each take a transaction, which some libraries begin themselves. */
export interface CommittingShop {
  readonly petWithStock: (id: number) => Later<ReturnType<ServedShop["petWithStock"]>>
  readonly place: (order: NewOrder, caller: Caller) => Later<PlacedOrder>
}

/** Hono as its documentation shows it, on its server for Node.js. */
export const serveByHono = async (guard: Guard, { petWithStock, place }: CommittingShop): Promise<Server> => {
  const { serve } = (await import(nodeServer)) as NodeServer
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
  app.get("/v1/store/pets/:petId", async (context) => {
    const id = context.req.param("petId")
    const found = idPattern.test(id) ? await petWithStock(Number(id)) : undefined
    if (found === undefined) return context.json(problem(404, "not_found"), 404)
    if (context.req.header("if-none-match") === found.tag) return context.body(null, 304)
    context.header("etag", found.tag)
    return context.json(found.body)
  })
  app.post("/v1/store/orders", async (context) => {
    const body: unknown = await context.req.json().catch(() => undefined)
    if (!isNewOrder(body)) return context.json(problem(400, "validation_failed"), 400)
    try {
      const order = await place(body, context.get("caller"))
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

/** By the statements of the other peers. */
export const hono: Peer = ({ database, guard, shop }) => {
  const transaction = transactionEach(database)
  const { petWithStock, place } = shop
  return serveByHono(guard, { petWithStock, place: (order, caller) => transaction(() => place(order, caller)) })
}
