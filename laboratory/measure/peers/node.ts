import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type Caller, idPattern, nextLink, parseCursor, problem } from "./Guard.ts"
import { listening, type Peer, type PeerInput } from "./Peer.ts"
import { Conflict, type NewOrder, type PlacedOrder, transactionEach, transactionTogether } from "./Shop.ts"

const isCount = (value: unknown, maximum: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maximum

/** Whether a body is an order with a pet and a quantity, and nothing else. */
export const isNewOrder = (body: unknown): body is NewOrder =>
  typeof body === "object" &&
  body !== null &&
  "petId" in body &&
  "quantity" in body &&
  Object.keys(body).length === 2 &&
  isCount(body.petId, Number.MAX_SAFE_INTEGER) &&
  isCount(body.quantity, 1_000_000)

const longestReservation = 365 * 24 * 60 * 60 * 1_000

/** How long an order holds its units, in milliseconds. */
const reservationOf = (query: string): number | undefined => {
  const millis = Number(new URLSearchParams(query).get("reserveFor"))
  return isCount(millis, longestReservation) ? millis : undefined
}

const bodyLimit = 262_144

const readBody = (request: IncomingMessage, then: (body: unknown) => void, fail: () => void): void => {
  const chunks: Array<Buffer> = []
  let length = 0
  request.on("data", (chunk: Buffer) => {
    length += chunk.length
    if (length > bodyLimit) request.destroy()
    else chunks.push(chunk)
  })
  request.on("end", () => {
    let body: unknown
    try {
      body = JSON.parse(Buffer.concat(chunks).toString())
    } catch {
      fail()
      return
    }
    then(body)
  })
}

const isBatch = (body: unknown): body is { readonly orders: ReadonlyArray<NewOrder> } =>
  typeof body === "object" &&
  body !== null &&
  "orders" in body &&
  Object.keys(body).length === 1 &&
  Array.isArray(body.orders) &&
  body.orders.length <= 100 &&
  body.orders.every(isNewOrder)

/** Runs work in a transaction, and calls one of the functions now or later. */
type Run = <A>(work: () => A, done: (result: A) => void, failed: (error: unknown) => void) => void

const serve = ({ guard, shop }: PeerInput, run: Run) => {
  type Headers = Record<string, string>
  const send = (response: ServerResponse, status: number, headers: Headers, body: unknown): void => {
    const text = JSON.stringify(body)
    headers["content-type"] = "application/json"
    headers["content-length"] = String(Buffer.byteLength(text))
    response.writeHead(status, headers).end(text)
  }
  const sendFound = (
    request: IncomingMessage,
    response: ServerResponse,
    headers: Headers,
    found: { readonly body: object; readonly tag: string } | undefined
  ): void => {
    if (found === undefined) {
      send(response, 404, headers, problem(404, "not_found"))
    } else if (request.headers["if-none-match"] === found.tag) {
      response.writeHead(304, headers).end()
    } else {
      headers.etag = found.tag
      send(response, 200, headers, found.body)
    }
  }

  return createServer({ optimizeEmptyRequests: true }, (request, response) => {
    const { method } = request
    const url = request.url ?? ""
    const question = url.indexOf("?")
    const path = question === -1 ? url : url.slice(0, question)
    const headers = guard.headers(request.headers["x-request-id"]?.toString())
    const allows = (...scopes: ReadonlyArray<string>): Caller | undefined => {
      const permit = guard.admit(request.headers.authorization, scopes, headers)
      if (!("status" in permit)) return permit
      send(response, permit.status, headers, problem(permit.status, permit.code))
      return undefined
    }
    if (method === "GET" && path.startsWith("/v1/store/pets/")) {
      const id = path.slice("/v1/store/pets/".length)
      if (allows("pets:read", "inventory:read") === undefined) return
      return sendFound(request, response, headers, idPattern.test(id) ? shop.petWithStock(Number(id)) : undefined)
    }
    if (method === "GET" && path === "/v1/pets") {
      if (allows("pets:read") === undefined) return
      const query = new URLSearchParams(url.slice(question + 1))
      const status = query.get("status")
      const after = parseCursor(query.get("cursor"))
      if (status === null || after === undefined) return send(response, 400, headers, problem(400, "validation_failed"))
      const { items, next } = shop.page(status, after)
      if (next !== undefined) headers.link = nextLink(status, next)
      return send(response, 200, headers, items)
    }
    if (method === "POST" && (path === "/v1/store/orders" || path === "/v1/store/orders/batch")) {
      const caller = allows("orders:write")
      if (caller === undefined) return
      const refuse = (): void => send(response, 400, headers, problem(400, "validation_failed"))
      if (!request.headers["content-type"]?.startsWith("application/json")) return refuse()
      const key = request.headers["idempotency-key"]?.toString()
      const reserveFor = question === -1 ? undefined : reservationOf(url.slice(question + 1))
      const failed = (error: unknown): void =>
        error instanceof Conflict
          ? send(response, 409, headers, problem(409, error.code))
          : send(response, 500, headers, problem(500, "internal_error"))
      const placed = (order: PlacedOrder): void => {
        headers.etag = '"v1"'
        headers.location = `/v1/store/orders/${order.id}`
        send(response, 201, headers, order)
      }
      return readBody(
        request,
        (body) => {
          if (path === "/v1/store/orders/batch") {
            if (!isBatch(body)) return refuse()
            const placedAll = (orders: ReadonlyArray<PlacedOrder>) => send(response, 201, headers, orders)
            return run(() => shop.placeAll(body.orders, caller), placedAll, failed)
          }
          if (!isNewOrder(body)) return refuse()
          if (key === undefined) run(() => shop.place(body, caller, reserveFor), placed, failed)
          else run(() => shop.placeOnce(key, body, caller), placed, failed)
        },
        refuse
      )
    }
    send(response, 404, headers, problem(404, "not_found"))
  })
}

/** What a developer writes on `node:http`: each order in a transaction of its own. */
export const node: Peer = (input) => {
  const transaction = transactionEach(input.database)
  return listening(
    serve(input, (work, done, failed) => {
      let result: ReturnType<typeof work>
      try {
        result = transaction(work)
      } catch (error) {
        return failed(error)
      }
      done(result)
    })
  )
}

/** What an expert writes: the same, where orders that arrive together share a commit. */
export const expert: Peer = (input) => {
  const transaction = transactionTogether(input.database)
  return listening(
    serve(input, (work, done, failed) => {
      transaction(work).then(done, failed)
    })
  )
}
