import type { OperationId, OperationInput, OperationResult } from "../api/PetstoreHttpApi.ts"

type Example<Part, Name extends string> = [Extract<Part, object>] extends [never]
  ? { readonly [N in Name]?: never }
  : { readonly [N in Name]: Part }

/** A request and its answer. */
export type OperationExample<Id extends OperationId> = Example<OperationInput<Id>["body"], "body"> &
  Example<OperationResult<Id>, "answer">

const dogs = { id: 3, name: "Dogs", description: "Loyal, loud and always hungry." }
const rex = { id: 7, name: "Rex", categoryId: 3, status: "available" } as const
const stock = { petId: 7, quantity: 5, status: "available", reserved: 2, available: 3 } as const
const order = { id: 12, petId: 7, quantity: 2, complete: false }
const shipped = { ...order, shipDate: "2026-05-05T14:00:00.000Z", complete: true }
const message = {
  id: "msg_01jz3v9k2m4n6p8q",
  message: "Rex is ready to be picked up.",
  status: "queued",
  createdAt: "2026-05-04T09:30:00.000Z"
} as const
const account = { id: 2, name: "Corner shop", createdAt: "2026-05-04T09:00:00.000Z" }
const apiKey = {
  id: 5,
  accountId: 2,
  name: "Web shop",
  scopes: ["pets:read", "inventory:read", "orders:read", "orders:write"],
  createdAt: "2026-05-04T09:05:00.000Z"
} as const
// Of the right form but for its checksum, so that no scanner takes it for a secret.
const key = "psk_5_EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleE000000"

/** One example for each operation, all of one small store. */
export const operationExamples: { readonly [Id in OperationId]: OperationExample<Id> } = {
  listPets: { answer: [rex, { id: 8, name: "Luna", categoryId: 3, status: "pending" }] },
  createPet: { body: { name: "Rex", categoryId: 3 }, answer: rex },
  getPet: { answer: rex },
  getPetWithInventory: { answer: { ...rex, inventory: stock } },
  updatePet: { body: { name: "Rexy" }, answer: { ...rex, name: "Rexy" } },
  deletePet: {},
  listCategories: { answer: [dogs] },
  createCategory: { body: { name: dogs.name, description: dogs.description }, answer: dogs },
  getCategory: { answer: dogs },
  updateCategory: { body: { description: null }, answer: { id: 3, name: "Dogs" } },
  deleteCategory: {},
  listInventory: { answer: [stock] },
  getInventoryItem: { answer: stock },
  updateInventoryItem: { body: { quantity: 10 }, answer: { ...stock, quantity: 10, available: 8 } },
  listMovements: {
    answer: [
      {
        petId: 7,
        seq: 1,
        kind: "initial",
        deltaOnHand: 1,
        deltaReserved: 0,
        actor: "key:5",
        at: "2026-05-04T09:10:00.000Z"
      },
      {
        petId: 7,
        seq: 2,
        kind: "set",
        deltaOnHand: 4,
        deltaReserved: 0,
        actor: "key:5",
        at: "2026-05-04T09:15:00.000Z"
      },
      {
        petId: 7,
        seq: 3,
        kind: "reserved",
        deltaOnHand: 0,
        deltaReserved: 2,
        orderId: 12,
        actor: "key:5",
        at: "2026-05-04T09:30:00.000Z"
      }
    ]
  },
  listOrders: { answer: [order] },
  placeOrder: { body: { petId: 7, quantity: 2 }, answer: order },
  getOrder: { answer: order },
  updateOrder: { body: { complete: true }, answer: shipped },
  cancelOrder: {},
  sendMessage: { body: { message: message.message }, answer: message },
  listMessages: { answer: [{ ...message, status: "delivered" }] },
  getMessage: { answer: { ...message, status: "delivered" } },
  listAccounts: { answer: [account] },
  createAccount: { body: { name: account.name }, answer: account },
  getAccount: { answer: account },
  listApiKeys: { answer: [{ ...apiKey, lastUsedAt: "2026-05-04T09:30:00.000Z" }] },
  createApiKey: { body: { accountId: 2, name: "Web shop", preset: "storefront" }, answer: { ...apiKey, key } },
  getApiKey: { answer: { ...apiKey, lastUsedAt: "2026-05-04T09:30:00.000Z" } },
  revokeApiKey: {},
  rotateApiKey: { body: { graceSeconds: 3600 }, answer: { ...apiKey, key } }
}
