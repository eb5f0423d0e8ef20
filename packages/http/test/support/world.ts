import * as Effect from "effect/Effect"
import type { OperationId } from "../../src/api/PetstoreHttpApi.ts"
import type { Sending, TestServer } from "./TestServer.ts"

/** A request that succeeds in the world of {@link populate}. */
export interface SampleRequest extends Sending {
  /** Relative to the base path. */
  readonly path: string
}

/** Some of everything, made over HTTP: category 1; pets 1 (free), 2 (three units) and 3 (in an open order). */
export const populate = ({ send }: TestServer): Effect.Effect<{ readonly messageId: string }> =>
  Effect.gen(function* () {
    yield* send("POST", "/v1/categories", { body: { name: "Cats", description: "They purr" } })
    yield* send("POST", "/v1/categories", { body: { name: "Unused" } })
    for (const name of ["Tom", "Felix", "Garfield"]) {
      yield* send("POST", "/v1/pets", { body: { name, categoryId: 1 } })
    }
    yield* send("PATCH", "/v1/inventory/2", { body: { quantity: 3 } })
    yield* send("POST", "/v1/store/orders", { body: { petId: 3 } })
    const message = yield* send("POST", "/v1/messages", { body: { message: "Hello" } })
    yield* send("POST", "/v1/accounts", { body: { name: "Shop" } })
    yield* send("POST", "/v1/api-keys", { body: { accountId: 1, name: "first", preset: "admin" } })
    yield* send("POST", "/v1/api-keys", { body: { accountId: 1, name: "second", preset: "read" } })
    return { messageId: (message.body as { readonly id: string }).id }
  })

/** A request for each operation that succeeds in that world. */
export const sampleRequests = (messageId: string): Readonly<Record<OperationId, SampleRequest>> => ({
  listPets: { path: "/pets?status=available&categoryId=1&name=F&id=1&id=2&limit=100" },
  createPet: { path: "/pets", body: { name: "Rex", categoryId: 1, status: "pending" } },
  getPet: { path: "/pets/1" },
  getPetWithInventory: { path: "/store/pets/1" },
  updatePet: { path: "/pets/1", body: { id: 9, name: "Thomas", status: "pending" } },
  deletePet: { path: "/pets/1" },
  listCategories: { path: "/categories" },
  createCategory: { path: "/categories", body: { name: "Dogs", description: "They bark" } },
  getCategory: { path: "/categories/1" },
  updateCategory: { path: "/categories/1", body: { description: null } },
  deleteCategory: { path: "/categories/2" },
  listInventory: { path: "/inventory?status=pending" },
  getInventoryItem: { path: "/inventory/2" },
  updateInventoryItem: { path: "/inventory/2", body: { quantity: 7 } },
  listMovements: { path: "/inventory/2/movements" },
  listOrders: { path: "/store/orders?petId=3&complete=false" },
  placeOrder: { path: "/store/orders", body: { petId: 2, quantity: 2, shipDate: "2026-05-04T09:30:00+02:00" } },
  getOrder: { path: "/store/orders/1" },
  updateOrder: { path: "/store/orders/1", body: { petId: 2, quantity: 3, complete: true } },
  cancelOrder: { path: "/store/orders/1" },
  sendMessage: { path: "/messages", body: { message: "Hi\nthere" } },
  listMessages: { path: "/messages" },
  getMessage: { path: `/messages/${messageId}` },
  listAccounts: { path: "/accounts" },
  createAccount: { path: "/accounts", body: { name: "Vets" } },
  getAccount: { path: "/accounts/1" },
  listApiKeys: { path: "/api-keys" },
  createApiKey: { path: "/api-keys", body: { accountId: 1, name: "till", scopes: ["pets:read", "orders:read"] } },
  getApiKey: { path: "/api-keys/1" },
  revokeApiKey: { path: "/api-keys/2" },
  rotateApiKey: { path: "/api-keys/1/rotate", body: { graceSeconds: 60 } }
})
