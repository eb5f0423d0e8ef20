import type { CallOptions, ChangeOptions, CreateOptions, Versioned, VersionedPetWithInventory } from "@petstore/core"
import type {
  ApiKeyRotation,
  CategoryUpdate,
  InventoryFilter,
  NewAccount,
  NewApiKey,
  NewCategory,
  NewOrder,
  NewPet,
  OrderFilter,
  OrderUpdate,
  Page,
  PageQuery,
  Pet,
  PetFilter,
  PetUpdate
} from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import type { OperationId, OperationInput } from "../api/PetstoreHttpApi.ts"
import type { Answer } from "./answerDecoder.ts"
import { type CallConditions, caller } from "./Caller.ts"
import type { ClientError } from "./ClientErrors.ts"
import { type ClientOptions, settingsOf } from "./ClientOptions.ts"

type Given<Id extends OperationId> = {
  readonly [Part in keyof OperationInput<Id> as [OperationInput<Id>[Part]] extends [never]
    ? never
    : Part]: OperationInput<Id>[Part]
}

type Called<A> = Effect.Effect<A, ClientError>
type Item<List> = List extends ReadonlyArray<infer A> ? A : never

/** Options of a call that takes no idempotency key, in which callers without types may still send one. */
type UntypedOptions = CallOptions & CreateOptions

/** The commands of a petstore over HTTP, all but those that read lists to their ends. */
export const makeCommands = (options: ClientOptions) => {
  const call = caller(settingsOf(options))

  // Answers are read by the schemas of the very contract that these types come from.
  const plain = <Id extends OperationId>(id: Id, input: Given<Id>, conditions?: CallConditions) =>
    call(id, input, conditions) as Called<Answer<Id>>
  const versioned = <Id extends OperationId>(id: Id, input: Given<Id>, conditions?: CallConditions) =>
    call(id, input, conditions) as Called<Versioned<Answer<Id>>>
  const page = <Id extends OperationId>(id: Id, input: Given<Id>) => call(id, input) as Called<Page<Item<Answer<Id>>>>

  const getWithInventory = (petId: number) =>
    call("getPetWithInventory", { params: { petId } }) as Called<VersionedPetWithInventory>

  let plainReadEnded = false
  const getAfterSunset = (petId: number): Called<Versioned<Pet>> =>
    Effect.map(getWithInventory(petId), ({ inventory: _, ...pet }) => pet)
  // The plain read is deprecated, but its successor needs one scope more, which not every key has.
  const getPet = (petId: number): Called<Versioned<Pet>> =>
    plainReadEnded
      ? getAfterSunset(petId)
      : Effect.catchTag(versioned("getPet", { params: { petId } }), "OperationSunset", () => {
          plainReadEnded = true
          return getAfterSunset(petId)
        })

  return {
    pets: {
      create: (pet: NewPet, options?: CreateOptions) => versioned("createPet", { body: pet }, options),
      /** Reads the deprecated `GET /pets/{petId}` for as long as it is served, and from then on its successor. */
      get: (petId: number) => Effect.suspend(() => getPet(petId)),
      /** A pet and its stock, both of the same moment. */
      getWithInventory,
      list: (filter: PetFilter = {}) => page("listPets", { query: filter }),
      update: (petId: number, update: PetUpdate, options?: ChangeOptions) =>
        versioned("updatePet", { params: { petId }, body: update }, options),
      delete: (petId: number, options?: ChangeOptions) => plain("deletePet", { params: { petId } }, options)
    },
    categories: {
      create: (category: NewCategory, options?: CreateOptions) =>
        versioned("createCategory", { body: category }, options),
      get: (categoryId: number) => versioned("getCategory", { params: { categoryId } }),
      list: (query: PageQuery = {}) => page("listCategories", { query }),
      update: (categoryId: number, update: CategoryUpdate, options?: ChangeOptions) =>
        versioned("updateCategory", { params: { categoryId }, body: update }, options),
      delete: (categoryId: number, options?: ChangeOptions) =>
        plain("deleteCategory", { params: { categoryId } }, options)
    },
    inventory: {
      get: (petId: number) => versioned("getInventoryItem", { params: { petId } }),
      list: (filter: InventoryFilter = {}) => page("listInventory", { query: filter }),
      /** Sets the units on hand; refused below what is reserved. */
      set: (petId: number, quantity: number, options?: ChangeOptions) =>
        versioned("updateInventoryItem", { params: { petId }, body: { quantity } }, options),
      /** The stock ledger of a pet, oldest first. */
      movements: (petId: number, query: PageQuery = {}) => page("listMovements", { params: { petId }, query })
    },
    orders: {
      /** Reserves stock for the order; without a pet it is a draft, with `complete: true` it ships at once. */
      place: (order: NewOrder, options?: CreateOptions) => versioned("placeOrder", { body: order }, options),
      get: (orderId: number) => versioned("getOrder", { params: { orderId } }),
      list: (filter: OrderFilter = {}) => page("listOrders", { query: filter }),
      update: (orderId: number, update: OrderUpdate, options?: ChangeOptions) =>
        versioned("updateOrder", { params: { orderId }, body: update }, options),
      /** Ships an order. A complete order stays as it is, so this may be repeated at any time. */
      complete: (orderId: number, options?: ChangeOptions) =>
        versioned("updateOrder", { params: { orderId }, body: { complete: true } }, { ...options, harmless: true }),
      /** Gives the reserved units back; the order is not found from then on. */
      cancel: (orderId: number, options?: ChangeOptions) => plain("cancelOrder", { params: { orderId } }, options)
    },
    messages: {
      enqueue: (message: string, options?: CreateOptions) => plain("sendMessage", { body: { message } }, options),
      get: (messageId: string) => plain("getMessage", { params: { messageId } }),
      list: (query: PageQuery = {}) => page("listMessages", { query })
    },
    accounts: {
      create: (account: NewAccount, options?: CreateOptions) => plain("createAccount", { body: account }, options),
      get: (accountId: number) => plain("getAccount", { params: { accountId } }),
      list: (query: PageQuery = {}) => page("listAccounts", { query })
    },
    apiKeys: {
      /** The answer is the only one with the secret, so it takes no idempotency key: the server refuses one. */
      create: (key: NewApiKey, options?: UntypedOptions) => plain("createApiKey", { body: key }, options),
      get: (keyId: number) => plain("getApiKey", { params: { keyId } }),
      list: (query: PageQuery = {}) => page("listApiKeys", { query }),
      /** Gives a key a new secret; the old one works for `graceSeconds` more (24 h if absent). */
      rotate: (keyId: number, rotation: ApiKeyRotation = {}, options?: UntypedOptions) =>
        plain("rotateApiKey", { params: { keyId }, body: rotation }, options),
      /** Ends a key at once. The last admin key stays. */
      revoke: (keyId: number) => plain("revokeApiKey", { params: { keyId } })
    }
  }
}
