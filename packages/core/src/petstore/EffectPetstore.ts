import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { NewAccount } from "../domain/Account.ts"
import { ApiKeyRotation, NewApiKey } from "../domain/ApiKey.ts"
import { CategoryUpdate, NewCategory } from "../domain/Category.ts"
import { type Event, type EventType, isOfType } from "../domain/Event.ts"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import { type EventQuery, InventoryFilter, OrderFilter, PageQuery, PetFilter } from "../domain/Filters.ts"
import { Id } from "../domain/Id.ts"
import { InventoryUpdate } from "../domain/InventoryItem.ts"
import { MessageId, NewMessage } from "../domain/Message.ts"
import { type NewOrder, Order, OrderUpdate } from "../domain/Order.ts"
import { NewPet, PetUpdate } from "../domain/Pet.ts"
import { type Validated, validator } from "../domain/validate.ts"
import type { HostTransaction } from "../ports/HostTransaction.ts"
import { Storage, type StorageAdapter } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Transaction } from "../ports/Transaction.ts"
import { Accounts } from "../services/Accounts.ts"
import { ApiKeys } from "../services/ApiKeys.ts"
import { Categories } from "../services/Categories.ts"
import { type EngineOptions, layer as engineLayer } from "../services/Engine.ts"
import { Events } from "../services/Events.ts"
import { Inventory } from "../services/Inventory.ts"
import { Messages } from "../services/Messages.ts"
import type { ChangeOptions, Created, CreateOptions } from "../services/Options.ts"
import { Orders } from "../services/Orders.ts"
import { Pets } from "../services/Pets.ts"
import { Verification } from "../services/Verification.ts"
import { allPages } from "./allPages.ts"
import { followEvents } from "./followEvents.ts"

const bodies = {
  newPet: validator(NewPet),
  petUpdate: validator(PetUpdate),
  newCategory: validator(NewCategory),
  categoryUpdate: validator(CategoryUpdate),
  inventoryUpdate: validator(InventoryUpdate),
  newOrder: validator(Order),
  orderUpdate: validator(OrderUpdate),
  newMessage: validator(NewMessage),
  newAccount: validator(NewAccount),
  newApiKey: validator(NewApiKey),
  rotation: validator(ApiKeyRotation)
}

const queries = {
  page: validator(PageQuery),
  pets: validator(PetFilter),
  inventory: validator(InventoryFilter),
  orders: validator(OrderFilter)
}

const paths = {
  pet: validator(Schema.Struct({ petId: Id })),
  category: validator(Schema.Struct({ categoryId: Id })),
  order: validator(Schema.Struct({ orderId: Id })),
  account: validator(Schema.Struct({ accountId: Id })),
  key: validator(Schema.Struct({ keyId: Id })),
  message: validator(Schema.Struct({ messageId: MessageId }))
}

const violationsOf = (input: Validated<unknown>) => (Result.isFailure(input) ? input.failure : [])

/** Goes on with a valid input. */
const valid = <V, A, E, R>(
  input: Validated<V>,
  use: (value: V) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | ValidationFailed, R> =>
  Result.isSuccess(input) ? use(input.success) : Effect.fail(ValidationFailed.of(input.failure))

/** Goes on with a valid input for a valid place; refuses with the violations of both together. */
const validAt = <V, A, E, R>(
  place: Validated<unknown>,
  input: Validated<V>,
  use: (value: V) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | ValidationFailed, R> =>
  Result.isSuccess(place)
    ? valid(input, use)
    : Effect.fail(ValidationFailed.of([...place.failure, ...violationsOf(input)]))

const value = <A, E, R>(created: Effect.Effect<Created<A>, E, R>): Effect.Effect<A, E, R> =>
  Effect.map(created, (made) => made.value)

const noHostTransactions =
  "This storage has no transactions of a host. Leave transaction out, or open the petstore on the host's database, such as with sqlite({ database })."

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const verification = yield* Verification
  const services = {
    accounts: yield* Accounts,
    apiKeys: yield* ApiKeys,
    categories: yield* Categories,
    events: yield* Events,
    inventory: yield* Inventory,
    messages: yield* Messages,
    orders: yield* Orders,
    pets: yield* Pets
  }

  const pets = {
    create: (input: NewPet, options?: CreateOptions) =>
      valid(bodies.newPet("/body", input), (pet) => value(services.pets.create(pet, options))),
    get: (petId: number) => valid(paths.pet("/path", { petId }), () => services.pets.get(petId)),
    /** A pet and its stock, both of the same moment. */
    getWithInventory: (petId: number) =>
      valid(paths.pet("/path", { petId }), () => services.pets.getWithInventory(petId)),
    list: (filter: PetFilter = {}) => valid(queries.pets("/query", filter), services.pets.list),
    all: (filter: PetFilter = {}) => allPages(pets.list, filter),
    update: (petId: number, update: PetUpdate, options?: ChangeOptions) =>
      validAt(paths.pet("/path", { petId }), bodies.petUpdate("/body", update), (changes) =>
        services.pets.update(petId, changes, options)
      ),
    delete: (petId: number, options?: ChangeOptions) =>
      valid(paths.pet("/path", { petId }), () => services.pets.delete(petId, options))
  }

  const categories = {
    create: (input: NewCategory, options?: CreateOptions) =>
      valid(bodies.newCategory("/body", input), (category) => value(services.categories.create(category, options))),
    get: (categoryId: number) =>
      valid(paths.category("/path", { categoryId }), () => services.categories.get(categoryId)),
    list: (query: PageQuery = {}) => valid(queries.page("/query", query), services.categories.list),
    all: (query: PageQuery = {}) => allPages(categories.list, query),
    update: (categoryId: number, update: CategoryUpdate, options?: ChangeOptions) =>
      validAt(paths.category("/path", { categoryId }), bodies.categoryUpdate("/body", update), (changes) =>
        services.categories.update(categoryId, changes, options)
      ),
    delete: (categoryId: number, options?: ChangeOptions) =>
      valid(paths.category("/path", { categoryId }), () => services.categories.delete(categoryId, options))
  }

  const inventory = {
    get: (petId: number) => valid(paths.pet("/path", { petId }), () => services.inventory.get(petId)),
    list: (filter: InventoryFilter = {}) => valid(queries.inventory("/query", filter), services.inventory.list),
    all: (filter: InventoryFilter = {}) => allPages(inventory.list, filter),
    /** Sets the units on hand; refused below what is reserved. */
    set: (petId: number, quantity: number, options?: ChangeOptions) =>
      validAt(paths.pet("/path", { petId }), bodies.inventoryUpdate("/body", { quantity }), (update) =>
        services.inventory.set(petId, update, options)
      ),
    /** The stock ledger of a pet, oldest first. */
    movements: (petId: number, query: PageQuery = {}) =>
      validAt(paths.pet("/path", { petId }), queries.page("/query", query), (page) =>
        services.inventory.movements(petId, page)
      ),
    allMovements: (petId: number, query: PageQuery = {}) =>
      allPages((page: PageQuery) => inventory.movements(petId, page), query)
  }

  const orders = {
    /** Reserves stock for the order; without a pet it is a draft, with `complete: true` it ships at once. */
    place: (input: NewOrder, options?: CreateOptions) =>
      valid(bodies.newOrder("/body", input), (order) => value(services.orders.place(order, options))),
    get: (orderId: number) => valid(paths.order("/path", { orderId }), () => services.orders.get(orderId)),
    list: (filter: OrderFilter = {}) => valid(queries.orders("/query", filter), services.orders.list),
    all: (filter: OrderFilter = {}) => allPages(orders.list, filter),
    update: (orderId: number, update: OrderUpdate, options?: ChangeOptions) =>
      validAt(paths.order("/path", { orderId }), bodies.orderUpdate("/body", update), (changes) =>
        services.orders.update(orderId, changes, options)
      ),
    /** Ships an order. */
    complete: (orderId: number, options?: ChangeOptions) => orders.update(orderId, { complete: true }, options),
    /** Gives the reserved units back; the order is not found from then on. */
    cancel: (orderId: number, options?: ChangeOptions) =>
      valid(paths.order("/path", { orderId }), () => services.orders.cancel(orderId, options))
  }

  const messages = {
    enqueue: (message: string, options?: CreateOptions) =>
      valid(bodies.newMessage("/body", { message }), (input) => value(services.messages.enqueue(input, options))),
    get: (messageId: string) => valid(paths.message("/path", { messageId }), () => services.messages.get(messageId)),
    list: (query: PageQuery = {}) => valid(queries.page("/query", query), services.messages.list),
    all: (query: PageQuery = {}) => allPages(messages.list, query)
  }

  const accounts = {
    create: (input: NewAccount, options?: CreateOptions) =>
      valid(bodies.newAccount("/body", input), (account) => value(services.accounts.create(account, options))),
    get: (accountId: number) => valid(paths.account("/path", { accountId }), () => services.accounts.get(accountId)),
    list: (query: PageQuery = {}) => valid(queries.page("/query", query), services.accounts.list),
    all: (query: PageQuery = {}) => allPages(accounts.list, query)
  }

  const apiKeys = {
    /** The answer is the only one with the secret. */
    create: (input: NewApiKey) => valid(bodies.newApiKey("/body", input), services.apiKeys.create),
    get: (keyId: number) => valid(paths.key("/path", { keyId }), () => services.apiKeys.get(keyId)),
    list: (query: PageQuery = {}) => valid(queries.page("/query", query), services.apiKeys.list),
    all: (query: PageQuery = {}) => allPages(apiKeys.list, query),
    /** Gives a key a new secret; the old one works for `graceSeconds` more (24 h if absent). */
    rotate: (keyId: number, rotation: ApiKeyRotation = {}) =>
      validAt(paths.key("/path", { keyId }), bodies.rotation("/body", rotation), (input) =>
        services.apiKeys.rotate(keyId, input)
      ),
    /** Ends a key at once. The last admin key stays. */
    revoke: (keyId: number) => valid(paths.key("/path", { keyId }), () => services.apiKeys.revoke(keyId))
  }

  const events = {
    /** The `seq` of the last event; 0 where there is none. */
    latest: services.events.latest,
    /** One page, in ascending `seq`. */
    list: (query: PageQuery = {}) => valid(queries.page("/query", query), services.events.list),
    /** Every event that there is. */
    all: (query: PageQuery = {}) => allPages(events.list, query),
    /**
     * Every event behind `after`, those to come included, each as soon as it is committed. It never ends; when the
     * petstore closes it fails with `ShuttingDown`. To go on after a failure or restart, begin behind the last `seq`.
     */
    stream: <const T extends EventType = EventType>(
      query: EventQuery<T> = {}
    ): Stream.Stream<Event<T>, ValidationFailed | StorageError> =>
      Stream.unwrap(
        Effect.map(followEvents(services.events, query), ({ next }) =>
          Stream.filter(Stream.fromIterableEffectRepeat(next), isOfType(query.types))
        )
      )
  }

  return {
    pets,
    categories,
    inventory,
    orders,
    messages,
    accounts,
    apiKeys,
    events,
    /** Checks every invariant on the data as it is. */
    verify: verification.verify,
    /** Copies a committed state to a new file; undefined where the store has no files. */
    backup: storage.backup,
    /** Runs commands of this petstore so that all of them happen or none. Bodies wait for nothing else. */
    transaction: <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, Exclude<R, Transaction>> =>
      storage.transact(body),
    /**
     * Runs commands inside a transaction that the host has open on its own connection to the same database: all of
     * them happen or none, and they are committed or rolled back with the rows of the host.
     */
    within:
      (transaction: HostTransaction) =>
      <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, Exclude<R, Transaction>> =>
        storage.join?.(transaction, body) ?? Effect.die(new TypeError(noHostTransactions))
  }
})

/**
 * The petstore for users of Effect: every command with its inputs checked and its errors typed.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { memory, Petstore } from "@petstore/core/effect"
 *
 * const program = Effect.gen(function* () {
 *   const petstore = yield* Petstore
 *   const cats = yield* petstore.categories.create({ name: "Cats" })
 *   return yield* petstore.pets.create({ name: "Tom", categoryId: cats.id })
 * })
 *
 * Effect.runPromise(Effect.provide(program, Petstore.layer(memory())))
 * ```
 */
export class Petstore extends Context.Service<Petstore>()("@petstore/core/Petstore", { make }) {
  /**
   * A petstore on this storage; closes with the layer's scope.
   *
   * A storage such as `memory()` is one database however often the layer is built: a layer that is a constant of a test file
   * shares its data between the tests. Make one for each test, as in `Effect.suspend(() => Effect.provide(test,
   * Petstore.layer(memory())))`.
   */
  static readonly layer = (adapter: StorageAdapter, options?: EngineOptions) =>
    Layer.provideMerge(Layer.effect(Petstore, Petstore.make), engineLayer(adapter, options))
}
