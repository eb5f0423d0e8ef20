import { createServer } from "node:http"
import Express, { type Request, type Response } from "express"
import { idPattern, problem } from "./Guard.ts"
import { isNewOrder } from "./node.ts"
import { listening, type Peer } from "./Peer.ts"
import { Conflict, transactionEach } from "./Shop.ts"

/** Express as its documentation shows it, without its own entity tags and its banner. */
export const express: Peer = ({ database, guard, shop }) => {
  const app = Express()
  app.disable("x-powered-by").disable("etag")
  const allow =
    (...scopes: ReadonlyArray<string>) =>
    (request: Request, response: Response, next: () => void) => {
      const headers = guard.headers(request.get("x-request-id"))
      const permit = guard.admit(request.get("authorization"), scopes, headers)
      response.set(headers)
      if ("status" in permit) return response.status(permit.status).json(problem(permit.status, permit.code))
      response.locals.caller = permit
      next()
    }
  const idOf = (request: Request): number => {
    const text = String(request.params.petId)
    return idPattern.test(text) ? Number(text) : 0
  }
  const send = (request: Request, response: Response, found: { body: object; tag: string } | undefined): void => {
    if (found === undefined) response.status(404).json(problem(404, "not_found"))
    else if (request.get("if-none-match") === found.tag) response.status(304).end()
    else response.set("etag", found.tag).json(found.body)
  }

  app.get("/v1/store/pets/:petId", allow("pets:read", "inventory:read"), (request, response) => {
    send(request, response, shop.petWithStock(idOf(request)))
  })
  const transaction = transactionEach(database)
  app.post("/v1/store/orders", allow("orders:write"), Express.json({ limit: 262_144 }), (request, response) => {
    const body: unknown = request.body
    if (!isNewOrder(body)) {
      response.status(400).json(problem(400, "validation_failed"))
      return
    }
    try {
      const order = transaction(() => shop.place(body, response.locals.caller))
      response
        .status(201)
        .set({ etag: '"v1"', location: `/v1/store/orders/${order.id}` })
        .json(order)
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
      response.status(409).json(problem(409, error.code))
    }
  })
  return listening(createServer({ optimizeEmptyRequests: true }, app))
}
