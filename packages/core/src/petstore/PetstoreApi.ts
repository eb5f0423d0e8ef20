import type { Account, NewAccount } from "../domain/Account.ts"
import type { ApiKey, ApiKeyRotation, ApiKeyWithSecret, NewApiKey } from "../domain/ApiKey.ts"
import type { Category, CategoryUpdate, NewCategory } from "../domain/Category.ts"
import type { InventoryFilter, OrderFilter, PageQuery, PetFilter } from "../domain/Filters.ts"
import type { InventoryItem } from "../domain/InventoryItem.ts"
import type { Message } from "../domain/Message.ts"
import type { Movement } from "../domain/Movement.ts"
import type { NewOrder, Order, OrderUpdate } from "../domain/Order.ts"
import type { Page } from "../domain/Page.ts"
import type { NewPet, Pet, PetUpdate } from "../domain/Pet.ts"
import type { ChangeOptions, CreateOptions, Versioned } from "../services/Options.ts"
import type { VersionedPetWithInventory } from "../services/Pets.ts"

/** What every call takes, near or far. */
export interface CallOptions {
  /** Gives the call up: it rejects with the reason of the signal. One that the store has begun to commit is still finished. */
  readonly signal?: AbortSignal | undefined
}

/** Commands about pets. */
export interface PetCommands<Options extends CallOptions = CallOptions> {
  /** Refused with `unknown_category`. */
  create(pet: NewPet, options?: CreateOptions & Options): Promise<Versioned<Pet>>
  /** Refused with `not_found`. */
  get(petId: number, options?: Options): Promise<Versioned<Pet>>
  /** A pet and its stock, both of the same moment. Refused with `not_found`. */
  getWithInventory(petId: number, options?: Options): Promise<VersionedPetWithInventory>
  /** One page, in ascending id; with the filter `name`, in the order of names by code points, then of ids. */
  list(filter?: PetFilter, options?: Options): Promise<Page<Pet>>
  /** All pages, one pet at a time. */
  all(filter?: PetFilter, options?: Options): AsyncIterable<Pet>
  /** What is absent stays. Refused with `not_found`, `precondition_failed`, `unknown_category`, `invalid_status_transition`, `pet_reserved`, `pet_has_open_orders`. */
  update(petId: number, update: PetUpdate, options?: ChangeOptions & Options): Promise<Versioned<Pet>>
  /** Refused with `not_found`, `precondition_failed`, `pet_has_open_orders`. */
  delete(petId: number, options?: ChangeOptions & Options): Promise<void>
}

/** Commands about categories. */
export interface CategoryCommands<Options extends CallOptions = CallOptions> {
  /** Names are unique without regard to case: refused with `category_name_taken`. */
  create(category: NewCategory, options?: CreateOptions & Options): Promise<Versioned<Category>>
  /** Refused with `not_found`. */
  get(categoryId: number, options?: Options): Promise<Versioned<Category>>
  list(query?: PageQuery, options?: Options): Promise<Page<Category>>
  all(query?: PageQuery, options?: Options): AsyncIterable<Category>
  /** What is absent stays; a description of null is taken away. Refused with `not_found`, `precondition_failed`, `category_name_taken`. */
  update(categoryId: number, update: CategoryUpdate, options?: ChangeOptions & Options): Promise<Versioned<Category>>
  /** Refused with `not_found`, `precondition_failed`, `category_in_use`. */
  delete(categoryId: number, options?: ChangeOptions & Options): Promise<void>
}

/** Commands about the stock of pets, and its ledger. */
export interface InventoryCommands<Options extends CallOptions = CallOptions> {
  /** Refused with `not_found`. */
  get(petId: number, options?: Options): Promise<Versioned<InventoryItem>>
  list(filter?: InventoryFilter, options?: Options): Promise<Page<InventoryItem>>
  all(filter?: InventoryFilter, options?: Options): AsyncIterable<InventoryItem>
  /** Sets the units on hand. Refused with `not_found`, `precondition_failed`, `quantity_below_reserved`. */
  set(petId: number, quantity: number, options?: ChangeOptions & Options): Promise<Versioned<InventoryItem>>
  /** One page of the stock ledger of a pet, oldest first. Refused with `not_found`. */
  movements(petId: number, query?: PageQuery, options?: Options): Promise<Page<Movement>>
  allMovements(petId: number, query?: PageQuery, options?: Options): AsyncIterable<Movement>
}

/** Commands about orders: drafts, open orders, and complete ones. */
export interface OrderCommands<Options extends CallOptions = CallOptions> {
  /**
   * Reserves stock. Without a pet the order is a draft, with `complete: true` it ships at once. Refused with
   * `unknown_pet`, `pet_not_available`, `insufficient_stock`, `order_is_draft`.
   */
  place(order: NewOrder, options?: CreateOptions & Options): Promise<Versioned<Order>>
  /** Refused with `not_found`. */
  get(orderId: number, options?: Options): Promise<Versioned<Order>>
  list(filter?: OrderFilter, options?: Options): Promise<Page<Order>>
  all(filter?: OrderFilter, options?: Options): AsyncIterable<Order>
  /**
   * What is absent stays; the reservation moves along. Refused with `not_found`, `precondition_failed`, `unknown_pet`,
   * `pet_not_available`, `insufficient_stock`, `order_is_draft`, `order_already_complete`.
   */
  update(orderId: number, update: OrderUpdate, options?: ChangeOptions & Options): Promise<Versioned<Order>>
  /** Ships an order. Refused with `not_found`, `precondition_failed`, `order_is_draft`. */
  complete(orderId: number, options?: ChangeOptions & Options): Promise<Versioned<Order>>
  /** Gives the reserved units back; the order is not found from then on. Refused with `not_found`, `precondition_failed`, `order_already_complete`. */
  cancel(orderId: number, options?: ChangeOptions & Options): Promise<void>
}

/** Commands about the queue of messages. */
export interface MessageCommands<Options extends CallOptions = CallOptions> {
  /** Puts a message into the durable queue. */
  enqueue(message: string, options?: CreateOptions & Options): Promise<Message>
  /** Refused with `not_found`. */
  get(messageId: string, options?: Options): Promise<Message>
  list(query?: PageQuery, options?: Options): Promise<Page<Message>>
  all(query?: PageQuery, options?: Options): AsyncIterable<Message>
}

/** Commands about accounts, the holders of API keys. */
export interface AccountCommands<Options extends CallOptions = CallOptions> {
  /** Names are unique without regard to case: refused with `account_name_taken`. */
  create(account: NewAccount, options?: CreateOptions & Options): Promise<Account>
  /** Refused with `not_found`. */
  get(accountId: number, options?: Options): Promise<Account>
  list(query?: PageQuery, options?: Options): Promise<Page<Account>>
  all(query?: PageQuery, options?: Options): AsyncIterable<Account>
}

/** Commands about API keys. */
export interface ApiKeyCommands<Options extends CallOptions = CallOptions> {
  /** The answer is the only one with the secret. Refused with `unknown_account`. */
  create(key: NewApiKey, options?: Options): Promise<ApiKeyWithSecret>
  /** Refused with `not_found`. */
  get(keyId: number, options?: Options): Promise<ApiKey>
  list(query?: PageQuery, options?: Options): Promise<Page<ApiKey>>
  all(query?: PageQuery, options?: Options): AsyncIterable<ApiKey>
  /** Gives a key a new secret; the old one works for `graceSeconds` more (24 h if absent). Refused with `not_found`. */
  rotate(keyId: number, rotation?: ApiKeyRotation, options?: Options): Promise<ApiKeyWithSecret>
  /**
   * Revokes a key at once. An admin key is kept unless another works for 7 more days, or as long as this one: create one first,
   * or rotate this one with `graceSeconds: 0`. Refused with `not_found`, `last_admin_key`.
   */
  revoke(keyId: number, options?: Options): Promise<void>
}

/**
 * What anyone who may use a petstore can do, near or far. Every call rejects with a `PetstoreError`, `validation_failed`
 * and the failures of the store (503) among them. `Options` is what every call takes; a petstore in this process takes
 * more than one far away. Rules of the host may refuse new pets, statuses of pets, orders and cancellations, with codes
 * of their own.
 */
export interface PetstoreApi<Options extends CallOptions = CallOptions> {
  readonly pets: PetCommands<Options>
  readonly categories: CategoryCommands<Options>
  readonly inventory: InventoryCommands<Options>
  readonly orders: OrderCommands<Options>
  readonly messages: MessageCommands<Options>
  readonly accounts: AccountCommands<Options>
  readonly apiKeys: ApiKeyCommands<Options>
}
