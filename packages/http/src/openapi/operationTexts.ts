import type { OperationId } from "../api/OperationTypes.ts"

/** What is said of an operation beside its summary. */
export interface OperationText {
  readonly description: string
  /** What a success means. */
  readonly success: string
}

const ascending = "in ascending order of their ids"

/** Scopes and marks are not told here: they are added to the descriptions. */
export const operationTexts: { readonly [Id in OperationId]: OperationText } = {
  listPets: {
    description: `Pets, ${ascending}, a page at a time. With \`name\`, in the order of their names by code points, and of their ids among pets of one name. Filters narrow the list together.`,
    success: "A page of pets."
  },
  createPet: {
    description: "Creates a pet in a category that exists, together with its stock.",
    success: "The pet was created."
  },
  getPet: {
    description: "One pet, without its stock.",
    success: "The pet."
  },
  getPetWithInventory: {
    description:
      "One pet and its stock, both of the same moment. The entity tag stands for both, and serves as `If-Match` for changes of either.",
    success: "The pet and its stock."
  },
  updatePet: {
    description:
      "Changes what is sent and leaves the rest. Asking for `pending` puts the pet on hold, so that it takes no new orders; asking for `available` ends the hold; asking for `sold` writes off what is on hand, unless orders are open. A sold pet comes back by setting its stock.",
    success: "The pet after the change."
  },
  deletePet: {
    description: "Deletes a pet and its stock, unless orders are open. Its id is never used again.",
    success: "The pet was deleted."
  },
  listCategories: {
    description: `Categories, ${ascending}, a page at a time.`,
    success: "A page of categories."
  },
  createCategory: {
    description: "Creates a category. Names are unique without regard to case.",
    success: "The category was created."
  },
  getCategory: { description: "One category.", success: "The category." },
  updateCategory: {
    description: "Changes what is sent and leaves the rest.",
    success: "The category after the change."
  },
  deleteCategory: {
    description: "Deletes a category that has no pets. Its id is never used again.",
    success: "The category was deleted."
  },
  listInventory: {
    description: "The stock of every pet, in ascending order of the ids of the pets, a page at a time.",
    success: "A page of stock."
  },
  getInventoryItem: { description: "The stock of one pet.", success: "The stock." },
  updateInventoryItem: {
    description:
      "Sets how many units are on hand, not below what open orders have reserved. At 0 the pet is sold; above 0 it comes back.",
    success: "The stock after the change."
  },
  listMovements: {
    description: "Every change of the stock of one pet, the oldest first, a page at a time.",
    success: "A page of the ledger."
  },
  listOrders: {
    description: `Orders that are not cancelled, ${ascending}, a page at a time.`,
    success: "A page of orders."
  },
  placeOrder: {
    description:
      "Without a `petId` the order is a draft and holds no stock. With one it reserves its units at once, or is refused: never with fewer. With `complete` it is shipped at once.",
    success: "The order was placed."
  },
  getOrder: { description: "One order. A cancelled one is not found any more.", success: "The order." },
  updateOrder: {
    description:
      "Changes what is sent and leaves the rest. A draft that gets a `petId` reserves its units; changing the pet or the quantity of an open order moves what it holds; `complete` ships it and is final.",
    success: "The order after the change."
  },
  cancelOrder: {
    description: "Cancels an order that is not complete. Its units are free again.",
    success: "The order was cancelled."
  },
  sendMessage: {
    description: "Queues a message for delivery. `queued` means that it was stored durably, not that it has arrived.",
    success: "The message was queued."
  },
  listMessages: { description: "Messages, the oldest first, a page at a time.", success: "A page of messages." },
  getMessage: { description: "One message, and how far it has come.", success: "The message." },
  listAccounts: {
    description: `Accounts, ${ascending}, a page at a time.`,
    success: "A page of accounts."
  },
  createAccount: {
    description: "Creates an account that API keys can belong to. Names are unique without regard to case.",
    success: "The account was created."
  },
  getAccount: { description: "One account.", success: "The account." },
  listApiKeys: {
    description: `API keys without their secrets, ${ascending}, a page at a time.`,
    success: "A page of API keys."
  },
  createApiKey: {
    description:
      "Creates an API key. Its secret is in this one answer and kept nowhere, so an `Idempotency-Key` is refused here.",
    success: "The API key was created. This is the only answer with its secret."
  },
  getApiKey: { description: "One API key, without its secret.", success: "The API key." },
  revokeApiKey: {
    description:
      "Revokes an API key at once. An admin key is kept if no other admin key works for 7 more days or as long as this one; rotating it replaces its secret. A server with an admin key of its own (`PETSTORE_ADMIN_KEY`) revokes the last one too.",
    success: "The API key is revoked."
  },
  rotateApiKey: {
    description:
      "Gives an API key a new secret; the old one goes on working for a while. The new secret is in this one answer and kept nowhere, so an `Idempotency-Key` is refused here.",
    success: "The API key has a new secret. This is the only answer with it."
  }
}
