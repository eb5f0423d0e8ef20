import { assert, describe, it } from "@effect/vitest"
import { eventScopeOf, type Preset, presets, Scope } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { populate, sampleRequests } from "../../../test/support/sampleStore.ts"
import { startServer } from "../../../test/support/TestServer.ts"
import type { OperationId } from "../../api/operations.ts"
import { operations } from "../../api/operations.ts"

interface Request {
  readonly body?: unknown
  /** All of them are needed. */
  readonly needs: ReadonlyArray<Scope>
}

const bothOrderScopes = ["orders:write", "orders:fulfil"] as const

/** The scopes that some bodies require. */
const bodies: { readonly [Id in OperationId]?: ReadonlyArray<Request> } = {
  placeOrder: [
    { body: {}, needs: ["orders:write"] },
    { body: { petId: 2 }, needs: ["orders:write"] },
    { body: { petId: 2, complete: false }, needs: ["orders:write"] },
    { body: { complete: true }, needs: bothOrderScopes },
    { body: { petId: 2, complete: true }, needs: bothOrderScopes }
  ],
  placeOrders: [
    { body: { orders: [{}, { petId: 2, complete: false }] }, needs: ["orders:write"] },
    { body: { orders: [{ petId: 2 }, { petId: 2, complete: true }] }, needs: bothOrderScopes },
    { body: { orders: [{ complete: true }, {}] }, needs: bothOrderScopes }
  ],
  updateOrder: [
    { body: {}, needs: ["orders:write"] },
    { body: { id: 1 }, needs: ["orders:write"] },
    { body: { quantity: 1 }, needs: ["orders:write"] },
    { body: { complete: false }, needs: ["orders:write"] },
    { body: { complete: true, quantity: 1 }, needs: bothOrderScopes },
    { body: { complete: true, shipDate: null }, needs: bothOrderScopes },
    { body: { id: 1, complete: true, petId: 3 }, needs: bothOrderScopes },
    { body: { complete: true }, needs: ["orders:fulfil"] },
    { body: { id: 1, complete: true }, needs: ["orders:fulfil"] }
  ]
}

/** Each scope alone, all but each, and what people combine. */
const keyrings: ReadonlyArray<ReadonlyArray<Scope>> = [
  ...Scope.literals.map((scope) => [scope]),
  ...Scope.literals
    .filter((scope) => scope !== "admin")
    .map((scope) => Scope.literals.filter((other) => other !== scope && other !== "admin")),
  bothOrderScopes,
  ...Object.values(presets)
]

/** The operations on orders that `orders:own` suffices for; on which orders, `ownOrders.int.test.ts` tests. */
const ofOwners: ReadonlyArray<OperationId> = [
  "listOrders",
  "placeOrder",
  "placeOrders",
  "getOrder",
  "updateOrder",
  "cancelOrder",
  "getReservation",
  "getOrderRecord",
  "findOrderRecord"
]

/** The operations whose results name orders of everyone. */
const namingOrders: ReadonlyArray<OperationId> = ["listMovements", "listDeliveries", "listAllDeliveries", "getDelivery"]

/** The types that the samples ask for. A caller with another scope of events, or with `orders:own`, lacks that of the first. */
const typesAsked = { listEvents: ["pet.created", "inventory.updated"], streamEvents: ["pet.created"] } as const

const missingForTypes = (id: "listEvents" | "streamEvents", held: ReadonlyArray<Scope>): Scope | undefined =>
  typesAsked[id].map(eventScopeOf).find((scope) => !held.includes(scope))

/** The scope that a refusal names; undefined if the request is allowed. */
const missing = (id: OperationId, { needs }: Request, held: ReadonlyArray<Scope>): Scope | undefined => {
  const seesEvents = held.includes("orders:own") || held.some((scope) => scope.startsWith("events:"))
  if (needs.includes("events:read") && seesEvents && !held.includes("events:read")) {
    return id === "listEvents" || id === "streamEvents" ? missingForTypes(id, held) : undefined
  }
  const isOwner = ofOwners.includes(id) && held.includes("orders:own")
  const lacks = (scope: Scope) =>
    !held.includes(scope) && !held.includes("admin") && !(isOwner && scope !== "orders:fulfil")
  // Every body needs the scope, so the body is not read.
  if (id === "updateOrder" && bothOrderScopes.every(lacks)) return "orders:write"
  const namesOrders = namingOrders.includes(id) && held.includes("orders:own")
  return needs.find(lacks) ?? (namesOrders && lacks("orders:read") ? "orders:read" : undefined)
}

describe("the scopes of every operation", () => {
  it.effect("given keys of every scope and every body, then only those with all that it needs are allowed", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { messageId } = yield* populate(server)
      const keys = yield* Effect.forEach(keyrings, (held) => Effect.map(server.keyWith(held), (key) => ({ held, key })))
      // Scopes are checked before anything is looked up, so it does not matter what the allowed requests have changed.
      for (const { id, method } of operations) {
        const { needs, path, ...sample } = sampleRequests(messageId)[id]
        for (const request of bodies[id] ?? [{ needs }]) {
          for (const { held, key } of keys) {
            const body = request.body ?? sample.body
            const reply = yield* server.send(method, `/v1${path}`, { ...sample, body, key })
            const expected = missing(id, request, held)
            const where = `${id} ${JSON.stringify(body)} with ${held}: ${reply.text}`
            if (expected === undefined) {
              assert.notInclude([401, 403], reply.status, where)
            } else {
              assert.strictEqual(reply.status, 403, where)
              assert.deepInclude(reply.body, { code: "insufficient_scope", details: { scope: expected } }, where)
            }
          }
        }
      }
    })
  )
})

describe("the orders of a shop with a warehouse", () => {
  const shop = Effect.gen(function* () {
    const server = yield* startServer()
    yield* populate(server)
    const keyOf = (preset: Preset) => server.keyWith(presets[preset])
    const as = (key: string) => (method: string, path: string, body?: unknown) =>
      server.send(method, `/v1${path}`, body === undefined ? { key } : { key, body })
    return { warehouse: as(yield* keyOf("warehouse")), storefront: as(yield* keyOf("storefront")) }
  })

  it.effect(
    "given an open order, when the warehouse completes it twice, then it is shipped once and the repetition is a no-op",
    () =>
      Effect.gen(function* () {
        const { storefront, warehouse } = yield* shop
        const placed = yield* storefront("POST", "/store/orders", { petId: 2, quantity: 2 })
        const order = `/store/orders/${(placed.body as { readonly id: number }).id}`
        const first = yield* warehouse("PATCH", order, { complete: true })
        const second = yield* warehouse("PATCH", order, { complete: true })
        assert.deepStrictEqual([first.status, second.status], [200, 200])
        assert.deepInclude(first.body, { complete: true, quantity: 2 })
        assert.strictEqual(second.text, first.text)
        assert.strictEqual(second.headers.get("etag"), first.headers.get("etag"))
        assert.deepInclude((yield* warehouse("GET", "/inventory/2")).body, { quantity: 1, reserved: 0 })
        assert.strictEqual((yield* warehouse("PATCH", "/inventory/2", { quantity: 5 })).status, 200)
      })
  )

  it.effect(
    "given a warehouse, when it places, changes or cancels an order, then it is rejected and nothing has changed",
    () =>
      Effect.gen(function* () {
        const { storefront, warehouse } = yield* shop
        const before = yield* warehouse("GET", "/store/orders")
        for (const [method, path, body] of [
          ["POST", "/store/orders", { petId: 2 }],
          ["PATCH", "/store/orders/1", { quantity: 1, complete: true }],
          ["PATCH", "/store/orders/1", { shipDate: null }],
          ["DELETE", "/store/orders/1", undefined]
        ] as const) {
          const reply = yield* warehouse(method, path, body)
          assert.deepInclude(reply.body, { code: "insufficient_scope", details: { scope: "orders:write" } })
        }
        assert.strictEqual((yield* storefront("GET", "/store/orders")).text, before.text)
      })
  )

  it.effect(
    "given a key that reads only, when it completes an order, then the refusal names both ways to be allowed",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        yield* populate(server)
        const key = yield* server.keyWith(presets.read)
        const reply = yield* server.send("PATCH", "/v1/store/orders/1", { key, body: { complete: true } })
        assert.deepInclude(reply.body, {
          message:
            "This needs the scope orders:write, orders:own for your own orders, or orders:fulfil for a body with complete alone."
        })
      })
  )
})
