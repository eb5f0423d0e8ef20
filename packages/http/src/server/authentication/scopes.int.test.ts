import { assert, describe, it } from "@effect/vitest"
import { eventScopeOf, type Preset, presets, Scope } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { populate, sampleRequests } from "../../../test/support/sampleStore.ts"
import { startServer, type TestServer } from "../../../test/support/TestServer.ts"
import { follow } from "../../../test/support/transcript.ts"
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
  const shop = (text: string) =>
    Effect.gen(function* () {
      const server = yield* startServer()
      yield* populate(server)
      const as = (preset: Preset) =>
        Effect.map(
          server.keyWith(presets[preset]),
          (key): TestServer["send"] =>
            (method, path, sending) =>
              server.send(method, `/v1${path}`, { ...sending, key })
        )
      const callers = {
        storefront: yield* as("storefront"),
        warehouse: yield* as("warehouse"),
        reader: yield* as("read")
      }
      yield* follow(server.send, text, callers)
    })

  it.effect(
    "given an open order, when the warehouse completes it twice, then it is shipped once and the repetition is a no-op",
    () =>
      shop(
        `storefront: POST /store/orders {"petId":2,"quantity":2} -> 201 {"id":2}
         warehouse: PATCH /store/orders/2 {"complete":true} -> 200 {"complete":true,"quantity":2}
         warehouse: PATCH /store/orders/2 {"complete":true} -> 200 as first
         warehouse: PATCH /store/orders/2 {"complete":true} -> 200 like first
         warehouse: GET /inventory/2 -> 200 {"quantity":1,"reserved":0}
         warehouse: PATCH /inventory/2 {"quantity":5} -> 200`
      )
  )

  it.effect(
    "given a warehouse, when it places, changes or cancels an order, then it is rejected and nothing has changed",
    () => {
      const refused = '-> 403 {"code":"insufficient_scope","details":{"scope":"orders:write"}}'
      return shop(
        `warehouse: GET /store/orders -> 200 as before
         warehouse: POST /store/orders {"petId":2} ${refused}
         warehouse: PATCH /store/orders/1 {"quantity":1,"complete":true} ${refused}
         warehouse: PATCH /store/orders/1 {"shipDate":null} ${refused}
         warehouse: DELETE /store/orders/1 ${refused}
         storefront: GET /store/orders -> 200 like before`
      )
    }
  )

  it.effect(
    "given a key that reads only, when it completes an order, then the refusal names both ways to be allowed",
    () =>
      shop(
        'reader: PATCH /store/orders/1 {"complete":true} -> 403 {"message":"This needs the scope orders:write, orders:own for your own orders, or orders:fulfil for a body with complete alone."}'
      )
  )
})
