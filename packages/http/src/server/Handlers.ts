import type { Page, PetstoreError } from "@petstore/core/domain"
import type { Created, Engine, RevokeOptions } from "@petstore/core/services"
import { Accounts, ApiKeys, Categories, Inventory, Messages, Orders, Pets } from "@petstore/core/services"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OperationId, OperationInput, OperationResult } from "../api/PetstoreHttpApi.ts"

/** What the headers of a request ask of a command. */
export interface CommandOptions {
  readonly idempotencyKey?: string | undefined
  /** The versions that `If-Match` names; absent where any will do. */
  readonly ifVersion?: ReadonlyArray<number> | undefined
  /** The versions that `If-None-Match` names. */
  readonly unlessVersion?: ReadonlyArray<number> | undefined
}

type Outcome<A> = A extends ReadonlyArray<infer Item> ? Page<Item> : A | Created<A>

/** One function for each operation: a page where it answers a list, a {@link Created} where it honours an idempotency key. */
export type Handlers = {
  readonly [Id in OperationId]: (
    input: OperationInput<Id> & { readonly options: CommandOptions }
  ) => Effect.Effect<Outcome<OperationResult<Id>>, PetstoreError>
}

/** The operations as use cases of an engine. */
export const handlers = (engine: Context.Context<Engine>, revocation: RevokeOptions): Handlers => {
  const accounts = Context.get(engine, Accounts)
  const apiKeys = Context.get(engine, ApiKeys)
  const categories = Context.get(engine, Categories)
  const inventory = Context.get(engine, Inventory)
  const messages = Context.get(engine, Messages)
  const orders = Context.get(engine, Orders)
  const pets = Context.get(engine, Pets)
  return {
    listPets: ({ query }) => pets.list(query),
    createPet: ({ body, options }) => pets.create(body, options),
    getPet: ({ params }) => pets.get(params.petId),
    getPetWithInventory: ({ params }) => pets.getWithInventory(params.petId),
    updatePet: ({ params, body, options }) => pets.update(params.petId, body, options),
    deletePet: ({ params, options }) => pets.delete(params.petId, options),

    listCategories: ({ query }) => categories.list(query),
    createCategory: ({ body, options }) => categories.create(body, options),
    getCategory: ({ params }) => categories.get(params.categoryId),
    updateCategory: ({ params, body, options }) => categories.update(params.categoryId, body, options),
    deleteCategory: ({ params, options }) => categories.delete(params.categoryId, options),

    listInventory: ({ query }) => inventory.list(query),
    getInventoryItem: ({ params }) => inventory.get(params.petId),
    updateInventoryItem: ({ params, body, options }) => inventory.set(params.petId, body, options),
    listMovements: ({ params, query }) => inventory.movements(params.petId, query),

    listOrders: ({ query }) => orders.list(query),
    placeOrder: ({ body, options }) => orders.place(body, options),
    getOrder: ({ params }) => orders.get(params.orderId),
    updateOrder: ({ params, body, options }) => orders.update(params.orderId, body, options),
    cancelOrder: ({ params, options }) => orders.cancel(params.orderId, options),

    sendMessage: ({ body, options }) => messages.enqueue(body, options),
    listMessages: ({ query }) => messages.list(query),
    getMessage: ({ params }) => messages.get(params.messageId),

    listAccounts: ({ query }) => accounts.list(query),
    createAccount: ({ body, options }) => accounts.create(body, options),
    getAccount: ({ params }) => accounts.get(params.accountId),

    listApiKeys: ({ query }) => apiKeys.list(query),
    createApiKey: ({ body }) => apiKeys.create(body),
    getApiKey: ({ params }) => apiKeys.get(params.keyId),
    revokeApiKey: ({ params }) => apiKeys.revoke(params.keyId, revocation),
    rotateApiKey: ({ params, body }) => apiKeys.rotate(params.keyId, body)
  }
}
