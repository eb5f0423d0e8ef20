import type { ErrorCode, Scope } from "@petstore/core/domain"
import { Storage } from "@petstore/core/ports"
import { consumers, newDeliveries, parkedEvents } from "@petstore/core/tables"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { newConsumer, newDelivery, newParkedEvent } from "../../../core/testing/src/storage/rows.ts"
import type { OperationId } from "../../src/api/operations.ts"
import type { Sending, TestServer } from "./TestServer.ts"

/** A request that succeeds after {@link populate}. */
export interface SampleRequest extends Sending {
  /** The scopes that it requires, independently of the contract: the contract must not prove itself. */
  readonly needs: ReadonlyArray<Scope>
  /** Relative to the base path. */
  readonly path: string
}

const at = "2026-05-04T09:30:00.000Z"

/** Creates some of everything over HTTP: category 1; pets 1 (free), 2 (three units) and 3 (in an open order). */
export const populate = ({ runtime, send }: TestServer): Effect.Effect<{ readonly messageId: string }> =>
  Effect.gen(function* () {
    yield* send("POST", "/v1/categories", { body: { name: "Cats", description: "They purr" } })
    yield* send("POST", "/v1/categories", { body: { name: "Unused" } })
    for (const name of ["Tom", "Felix", "Garfield"]) {
      yield* send("POST", "/v1/pets", { body: { name, categoryId: 1 } })
    }
    yield* send("PATCH", "/v1/inventory/2", { body: { quantity: 3 } })
    yield* send("POST", "/v1/store/orders?reserveFor=31536000000", { body: { petId: 3 } })
    const message = yield* send("POST", "/v1/messages", { body: { message: "Hello" } })
    yield* send("POST", "/v1/accounts", { body: { name: "Shop" } })
    yield* send("POST", "/v1/api-keys", { body: { accountId: 1, name: "first", preset: "admin" } })
    yield* send("POST", "/v1/api-keys", { body: { accountId: 1, name: "second", preset: "read" } })
    yield* send("POST", "/v1/webhooks", { body: { url: "https://example.com/hook", types: ["pet.created"] } })
    const event = { eventId: "evt_1", type: "pet.created", subject: "pets/1" } as const
    const delivery = newDelivery(1, 3, { ...event, createdAt: at, nextAttemptAt: at })
    yield* Effect.orDie(
      Context.get(runtime, Storage).run(function* (tx) {
        tx.append(newDeliveries, [delivery])
        tx.add(consumers, newConsumer())
        tx.add(parkedEvents, newParkedEvent())
      })
    )
    for (const path of ["/categories/1", "/pets/1", "/store/orders/1"]) {
      yield* send("PATCH", `/v1${path}/record`, { body: { externalId: "A-1" } })
    }
    return { messageId: (message.body as { readonly id: string }).id }
  })

/** A request for each operation that succeeds after {@link populate}. */
export const sampleRequests = (messageId: string): Readonly<Record<OperationId, SampleRequest>> => ({
  listPets: {
    needs: ["pets:read"],
    path: "/pets?status=available&categoryId=1&name=F&id=1&id=2&sort=-name&count=true&limit=100"
  },
  createPet: { needs: ["pets:write"], path: "/pets", body: { name: "Rex", categoryId: 1, status: "pending" } },
  createPets: {
    needs: ["pets:write"],
    path: "/pets/batch",
    body: {
      pets: [
        { name: "Rex", categoryId: 1 },
        { name: "Max", categoryId: 2, status: "sold" }
      ]
    }
  },
  getPet: { needs: ["pets:read"], path: "/pets/1" },
  getPetWithInventory: { needs: ["pets:read", "inventory:read"], path: "/store/pets/1" },
  updatePet: { needs: ["pets:write"], path: "/pets/1", body: { id: 9, name: "Thomas", status: "pending" } },
  deletePet: { needs: ["pets:write"], path: "/pets/1" },
  listCategories: { needs: ["pets:read"], path: "/categories" },
  createCategory: { needs: ["pets:write"], path: "/categories", body: { name: "Dogs", description: "They bark" } },
  getCategory: { needs: ["pets:read"], path: "/categories/1" },
  updateCategory: { needs: ["pets:write"], path: "/categories/1", body: { description: null } },
  deleteCategory: { needs: ["pets:write"], path: "/categories/2" },
  listInventory: { needs: ["inventory:read"], path: "/inventory?status=pending" },
  getInventoryItem: { needs: ["inventory:read"], path: "/inventory/2" },
  updateInventoryItem: { needs: ["inventory:write"], path: "/inventory/2", body: { quantity: 7 } },
  adjustInventory: {
    needs: ["inventory:write"],
    path: "/inventory/2/adjustments",
    body: { delta: -1, reason: "damaged", note: "Fell off the shelf" }
  },
  setInventory: {
    needs: ["inventory:write"],
    path: "/inventory/batch",
    body: {
      items: [
        { petId: 2, quantity: 7 },
        { petId: 1, quantity: 0, ifVersion: 1 }
      ]
    }
  },
  adjustSeveral: {
    needs: ["inventory:write"],
    path: "/inventory/adjustments",
    body: {
      adjustments: [
        { petId: 2, delta: -1, reason: "damaged", note: "Fell off the shelf" },
        { petId: 2, delta: 3, reason: "received" },
        { petId: 1, delta: 1, reason: "returned" }
      ]
    }
  },
  listMovements: { needs: ["inventory:read"], path: "/inventory/2/movements" },
  listOrders: { needs: ["orders:read"], path: "/store/orders?petId=3&complete=false&state=open&sort=-id&count=true" },
  placeOrder: {
    needs: ["orders:write"],
    path: "/store/orders?reserveFor=900000",
    body: { petId: 2, quantity: 2, shipDate: "2026-05-04T09:30:00+02:00" }
  },
  placeOrders: {
    needs: ["orders:write"],
    path: "/store/orders/batch",
    body: { orders: [{ petId: 2, quantity: 2 }, { petId: 1, shipDate: "2026-05-04T09:30:00+02:00" }, {}] }
  },
  getOrder: { needs: ["orders:read"], path: "/store/orders/1" },
  updateOrder: {
    needs: ["orders:write", "orders:fulfil"],
    path: "/store/orders/1",
    body: { petId: 2, quantity: 3, complete: true }
  },
  cancelOrder: { needs: ["orders:write"], path: "/store/orders/1" },
  getPetRecord: { needs: ["pets:read"], path: "/pets/1/record" },
  updatePetRecord: { needs: ["pets:write"], path: "/pets/1/record", body: { metadata: { chip: "276" } } },
  findPetRecord: { needs: ["pets:read"], path: "/pets/by-external-id/A-1/record" },
  getCategoryRecord: { needs: ["pets:read"], path: "/categories/1/record" },
  updateCategoryRecord: { needs: ["pets:write"], path: "/categories/1/record", body: { externalId: null } },
  findCategoryRecord: { needs: ["pets:read"], path: "/categories/by-external-id/A-1/record" },
  getOrderRecord: { needs: ["orders:read"], path: "/store/orders/1/record" },
  updateOrderRecord: { needs: ["orders:write"], path: "/store/orders/1/record", body: { metadata: null } },
  findOrderRecord: { needs: ["orders:read"], path: "/store/orders/by-external-id/A-1/record" },
  getReservation: { needs: ["orders:read"], path: "/store/orders/1/reservation" },
  setReservation: { needs: ["orders:write"], path: "/store/orders/1/reservation?reserveFor=900000" },
  removeReservation: { needs: ["orders:write"], path: "/store/orders/1/reservation" },
  sendMessage: { needs: ["messages:write"], path: "/messages", body: { message: "Hi\nthere" } },
  listMessages: { needs: ["messages:read"], path: "/messages?status=queued" },
  getMessage: { needs: ["messages:read"], path: `/messages/${messageId}` },
  listEvents: {
    needs: ["events:read"],
    path: "/events?after=0&types=pet.created&types=inventory.updated&subject=pets/2&limit=100&since=1970-01-01T00:00:00Z&until=2999-01-01T00:00:00Z"
  },
  getLatestEvent: { needs: ["events:read"], path: "/events/latest" },
  streamEvents: { needs: ["events:read"], path: "/events/stream?after=0&types=pet.created&subject=pets/2" },
  requeueMessages: { needs: ["messages:write"], path: "/messages/requeue", body: { status: "failed" } },
  deleteMessage: { needs: ["messages:write"], path: `/messages/${messageId}` },
  requeueMessage: { needs: ["messages:write"], path: `/messages/${messageId}/requeue` },
  listAccounts: { needs: ["admin"], path: "/accounts" },
  createAccount: { needs: ["admin"], path: "/accounts", body: { name: "Vets" } },
  getAccount: { needs: ["admin"], path: "/accounts/1" },
  listApiKeys: { needs: ["admin"], path: "/api-keys" },
  createApiKey: {
    needs: ["admin"],
    path: "/api-keys",
    body: { accountId: 1, name: "till", scopes: ["pets:read", "orders:read"] }
  },
  getApiKey: { needs: ["admin"], path: "/api-keys/1" },
  revokeApiKey: { needs: ["admin"], path: "/api-keys/2" },
  rotateApiKey: { needs: ["admin"], path: "/api-keys/1/rotate", body: { graceSeconds: 60 } },
  listWebhooks: { needs: ["webhooks:read"], path: "/webhooks" },
  createWebhook: {
    needs: ["webhooks:write"],
    path: "/webhooks",
    body: {
      url: "https://example.com/other",
      types: ["order.placed"],
      description: "Ours",
      ordered: true,
      concurrency: 2
    }
  },
  getWebhook: { needs: ["webhooks:read"], path: "/webhooks/1" },
  updateWebhook: { needs: ["webhooks:write"], path: "/webhooks/1", body: { types: null, enabled: false } },
  deleteWebhook: { needs: ["webhooks:write"], path: "/webhooks/1" },
  rotateWebhookSecret: { needs: ["webhooks:write"], path: "/webhooks/1/rotate-secret", body: { graceSeconds: 60 } },
  testWebhook: { needs: ["webhooks:write"], path: "/webhooks/1/test" },
  listDeliveries: { needs: ["webhooks:read"], path: "/webhooks/1/deliveries?status=pending" },
  redeliver: { needs: ["webhooks:write"], path: "/webhooks/1/redeliver", body: { after: 0, through: 9 } },
  listAllDeliveries: {
    needs: ["webhooks:read"],
    path: "/deliveries?status=pending&type=pet.created&subject=pets/1&sort=-id"
  },
  getDelivery: { needs: ["webhooks:read"], path: "/deliveries/1" },
  requeueDeliveries: {
    needs: ["webhooks:write"],
    path: "/deliveries/requeue",
    body: { status: "failed", webhookId: 1 }
  },
  listConsumers: { needs: ["consumers:read"], path: "/consumers?limit=10" },
  getConsumer: { needs: ["consumers:read"], path: "/consumers/invoices" },
  listParkedEvents: { needs: ["consumers:read"], path: "/consumers/invoices/parked" },
  replayParkedEvent: { needs: ["consumers:write"], path: "/consumers/invoices/parked/1/replay" },
  discardParkedEvent: { needs: ["consumers:write"], path: "/consumers/invoices/parked/1/discard" },
  getSession: { needs: [], path: "/session" },
  getStats: { needs: ["stats:read"], path: "/stats" },
  getStatsHistory: { needs: ["stats:read"], path: "/stats/history" }
})

/** A request that the current state does not allow, and the requests that lead to that state. */
interface Conflict {
  readonly before?: ReadonlyArray<readonly [method: string, path: string, body: unknown]>
  readonly request: Omit<SampleRequest, "needs">
}

const sold = ["PATCH", "/inventory/1", { quantity: 0 }] as const
const held = ["PATCH", "/pets/2", { status: "pending" }] as const
const completed = ["PATCH", "/store/orders/1", { complete: true }] as const
const draft = ["POST", "/store/orders", {}] as const

const order = (body: unknown): Conflict => ({ request: { path: "/store/orders", body } })
const basket = (...orders: ReadonlyArray<unknown>): Conflict => ({
  request: { path: "/store/orders/batch", body: { orders } }
})
const adjustments = (...several: ReadonlyArray<unknown>): Conflict => ({
  request: { path: "/inventory/adjustments", body: { adjustments: several } }
})
const amended = (body: unknown): Conflict => ({ request: { path: "/store/orders/1", body } })
const pet = (id: number, body: unknown): Conflict => ({ request: { path: `/pets/${id}`, body } })

/** A request for each conflict that an operation can respond with. */
export const conflicts: {
  readonly [code in ErrorCode]?: { readonly [id in OperationId]?: Conflict }
} = {
  unknown_category: {
    createPet: { request: { path: "/pets", body: { name: "Rex", categoryId: 99 } } },
    createPets: { request: { path: "/pets/batch", body: { pets: [{ name: "Rex", categoryId: 99 }] } } },
    updatePet: pet(1, { categoryId: 99 })
  },
  invalid_status_transition: { updatePet: { before: [sold], ...pet(1, { status: "available" }) } },
  pet_reserved: { updatePet: pet(3, { status: "available" }) },
  pet_has_open_orders: { updatePet: pet(3, { status: "sold" }), deletePet: { request: { path: "/pets/3" } } },
  category_name_taken: {
    createCategory: { request: { path: "/categories", body: { name: "cats" } } },
    updateCategory: { request: { path: "/categories/2", body: { name: "CATS" } } }
  },
  external_id_taken: {
    updatePetRecord: { request: { path: "/pets/2/record", body: { externalId: "A-1" } } },
    updateCategoryRecord: { request: { path: "/categories/2/record", body: { externalId: "A-1" } } },
    updateOrderRecord: { before: [draft], request: { path: "/store/orders/2/record", body: { externalId: "A-1" } } }
  },
  category_in_use: { deleteCategory: { request: { path: "/categories/1" } } },
  quantity_below_reserved: {
    updateInventoryItem: { request: { path: "/inventory/3", body: { quantity: 0 } } },
    adjustInventory: { request: { path: "/inventory/3/adjustments", body: { delta: -1, reason: "damaged" } } },
    adjustSeveral: adjustments({ petId: 3, delta: -1, reason: "damaged" }),
    setInventory: { request: { path: "/inventory/batch", body: { items: [{ petId: 3, quantity: 0 }] } } }
  },
  stock_limit_exceeded: {
    adjustSeveral: adjustments(
      { petId: 1, delta: 2_147_483_647, reason: "received" },
      { petId: 1, delta: 1, reason: "received" }
    ),
    adjustInventory: {
      request: { path: "/inventory/1/adjustments", body: { delta: 2_147_483_647, reason: "received" } }
    }
  },
  unknown_pet: {
    placeOrder: order({ petId: 99 }),
    placeOrders: basket({}, { petId: 99 }),
    updateOrder: amended({ petId: 99 })
  },
  insufficient_stock: {
    placeOrder: order({ petId: 2, quantity: 4 }),
    placeOrders: basket({ petId: 2, quantity: 2 }, { petId: 2, quantity: 2 }),
    updateOrder: amended({ petId: 2, quantity: 4 })
  },
  pet_not_available: {
    placeOrder: { before: [sold], ...order({ petId: 1 }) },
    placeOrders: { before: [sold], ...basket({ petId: 1 }) },
    updateOrder: { before: [held], ...amended({ petId: 2 }) }
  },
  order_is_draft: {
    placeOrder: order({ complete: true }),
    placeOrders: basket({ complete: true }),
    updateOrder: { before: [draft], request: { path: "/store/orders/2", body: { complete: true } } },
    setReservation: { before: [draft], request: { path: "/store/orders/2/reservation?reserveFor=1000" } },
    removeReservation: { before: [draft], request: { path: "/store/orders/2/reservation" } }
  },
  order_already_complete: {
    updateOrder: { before: [completed], ...amended({ quantity: 2 }) },
    cancelOrder: { before: [completed], request: { path: "/store/orders/1" } },
    setReservation: { before: [completed], request: { path: "/store/orders/1/reservation?reserveFor=1000" } },
    removeReservation: { before: [completed], request: { path: "/store/orders/1/reservation" } }
  },
  account_name_taken: { createAccount: { request: { path: "/accounts", body: { name: "SHOP" } } } },
  unknown_account: {
    createApiKey: { request: { path: "/api-keys", body: { accountId: 99, name: "till", preset: "read" } } }
  },
  url_not_allowed: {
    createWebhook: { request: { path: "/webhooks", body: { url: "http://example.com/hook" } } },
    updateWebhook: { request: { path: "/webhooks/1", body: { url: "https://me:secret@example.com/hook" } } }
  },
  last_admin_key: { revokeApiKey: { request: { path: "/api-keys/1" } } }
}
