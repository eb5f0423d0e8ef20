import type { OperationId } from "../api/PetstoreHttpApi.ts"

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
    description: `Returns a page of pets, ${ascending}. With \`name\`, pets are in the order of their names by code points, and those with the same name in the order of their ids. A pet must match all filters.`,
    success: "A page of pets."
  },
  createPet: {
    description: "Creates a pet in an existing category, together with its stock.",
    success: "The pet was created."
  },
  getPet: {
    description: "Returns a pet without its stock.",
    success: "The pet."
  },
  getPetWithInventory: {
    description:
      "Returns a pet and its stock as of the same moment. The entity tag covers both: send it as `If-Match` to change either.",
    success: "The pet and its stock."
  },
  updatePet: {
    description:
      "Changes the fields that are sent and keeps the others. The status `pending` puts the pet on hold, so that it takes no new orders; `available` ends the hold; `sold` writes off the units on hand, unless the pet has open orders. To sell a sold pet again, set its stock.",
    success: "The pet after the change."
  },
  deletePet: {
    description: "Deletes a pet and its stock, unless the pet has open orders. Its id is never used again.",
    success: "The pet was deleted."
  },
  listCategories: {
    description: `Returns a page of categories, ${ascending}.`,
    success: "A page of categories."
  },
  createCategory: {
    description: "Creates a category. Names are unique, ignoring case.",
    success: "The category was created."
  },
  getCategory: { description: "Returns a category.", success: "The category." },
  updateCategory: {
    description: "Changes the fields that are sent and keeps the others.",
    success: "The category after the change."
  },
  deleteCategory: {
    description: "Deletes a category that has no pets. Its id is never used again.",
    success: "The category was deleted."
  },
  listInventory: {
    description: "Returns a page of the stock of all pets, in ascending order of the pet ids.",
    success: "A page of stock."
  },
  getInventoryItem: { description: "Returns the stock of a pet.", success: "The stock." },
  updateInventoryItem: {
    description:
      "Sets the number of units on hand, which cannot be less than open orders have reserved. At 0 the pet becomes `sold`; above 0 it can be ordered again.",
    success: "The stock after the change."
  },
  listMovements: {
    description: "Returns a page of the changes of a pet's stock, oldest first.",
    success: "A page of the ledger."
  },
  listOrders: {
    description: `Returns a page of orders that are not cancelled, ${ascending}.`,
    success: "A page of orders."
  },
  placeOrder: {
    description:
      "Places an order. Without a `petId` it is a draft and reserves nothing. With one it reserves all of its units or is refused; it never reserves fewer. With `complete: true` it ships at once.",
    success: "The order was placed."
  },
  getOrder: { description: "Returns an order. A cancelled order is not found.", success: "The order." },
  updateOrder: {
    description:
      "Changes the fields that are sent and keeps the others. A draft that gets a `petId` reserves its units. Changing the pet or the quantity of an open order changes what it reserves. `complete: true` ships the order; it cannot be changed afterwards.",
    success: "The order after the change."
  },
  cancelOrder: {
    description: "Cancels an order that is not complete, and releases its units.",
    success: "The order was cancelled."
  },
  sendMessage: {
    description:
      "Queues a message for delivery. `queued` means that the message is stored durably, not that it was delivered.",
    success: "The message was queued."
  },
  listMessages: { description: "Returns a page of messages, oldest first.", success: "A page of messages." },
  getMessage: { description: "Returns a message and its delivery status.", success: "The message." },
  listAccounts: {
    description: `Returns a page of accounts, ${ascending}.`,
    success: "A page of accounts."
  },
  createAccount: {
    description: "Creates an account for API keys. Names are unique, ignoring case.",
    success: "The account was created."
  },
  getAccount: { description: "Returns an account.", success: "The account." },
  listApiKeys: {
    description: `Returns a page of API keys without their secrets, ${ascending}.`,
    success: "A page of API keys."
  },
  createApiKey: {
    description:
      "Creates an API key. Only this response contains its secret, which is stored nowhere; therefore an `Idempotency-Key` is refused.",
    success: "The API key was created. Only this response contains its secret."
  },
  getApiKey: { description: "Returns an API key without its secret.", success: "The API key." },
  revokeApiKey: {
    description:
      "Revokes an API key at once. An admin key is kept if no other admin key works for 7 more days or as long as this one; rotating it replaces its secret. A server with an admin key of its own (`PETSTORE_ADMIN_KEY`) revokes the last one too.",
    success: "The API key is revoked."
  },
  rotateApiKey: {
    description:
      "Gives an API key a new secret; the old one keeps working for `graceSeconds`. Only this response contains the new secret, which is stored nowhere; therefore an `Idempotency-Key` is refused.",
    success: "The API key has a new secret. Only this response contains it."
  }
}
