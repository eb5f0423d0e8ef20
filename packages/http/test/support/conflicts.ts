import type { ErrorCode } from "@petstore/core/domain"
import type { OperationId } from "../../src/api/PetstoreHttpApi.ts"
import type { SampleRequest } from "./world.ts"

/** A request that the state does not allow, and what has to happen in the world of `populate` before. */
export interface Conflict {
  readonly before?: ReadonlyArray<readonly [method: string, path: string, body: unknown]>
  readonly request: SampleRequest
}

const sold = ["PATCH", "/inventory/1", { quantity: 0 }] as const
const held = ["PATCH", "/pets/2", { status: "pending" }] as const
const completed = ["PATCH", "/store/orders/1", { complete: true }] as const
const draft = ["POST", "/store/orders", {}] as const

const order = (body: unknown): Conflict => ({ request: { path: "/store/orders", body } })
const amended = (body: unknown): Conflict => ({ request: { path: "/store/orders/1", body } })
const pet = (id: number, body: unknown): Conflict => ({ request: { path: `/pets/${id}`, body } })

/** How each conflict that an operation can answer comes about. */
export const conflicts: {
  readonly [code in ErrorCode]?: { readonly [id in OperationId]?: Conflict }
} = {
  unknown_category: {
    createPet: { request: { path: "/pets", body: { name: "Rex", categoryId: 99 } } },
    updatePet: pet(1, { categoryId: 99 })
  },
  invalid_status_transition: { updatePet: { before: [sold], ...pet(1, { status: "available" }) } },
  pet_reserved: { updatePet: pet(3, { status: "available" }) },
  pet_has_open_orders: { updatePet: pet(3, { status: "sold" }), deletePet: { request: { path: "/pets/3" } } },
  category_name_taken: {
    createCategory: { request: { path: "/categories", body: { name: "cats" } } },
    updateCategory: { request: { path: "/categories/2", body: { name: "CATS" } } }
  },
  category_in_use: { deleteCategory: { request: { path: "/categories/1" } } },
  quantity_below_reserved: { updateInventoryItem: { request: { path: "/inventory/3", body: { quantity: 0 } } } },
  unknown_pet: { placeOrder: order({ petId: 99 }), updateOrder: amended({ petId: 99 }) },
  insufficient_stock: {
    placeOrder: order({ petId: 2, quantity: 4 }),
    updateOrder: amended({ petId: 2, quantity: 4 })
  },
  pet_not_available: {
    placeOrder: { before: [sold], ...order({ petId: 1 }) },
    updateOrder: { before: [held], ...amended({ petId: 2 }) }
  },
  order_is_draft: {
    placeOrder: order({ complete: true }),
    updateOrder: { before: [draft], request: { path: "/store/orders/2", body: { complete: true } } }
  },
  order_already_complete: {
    updateOrder: { before: [completed], ...amended({ quantity: 2 }) },
    cancelOrder: { before: [completed], request: { path: "/store/orders/1" } }
  },
  account_name_taken: { createAccount: { request: { path: "/accounts", body: { name: "SHOP" } } } },
  unknown_account: {
    createApiKey: { request: { path: "/api-keys", body: { accountId: 99, name: "till", preset: "read" } } }
  },
  last_admin_key: { revokeApiKey: { request: { path: "/api-keys/1" } } }
}
