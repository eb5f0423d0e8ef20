import { Cause, Context, Effect, Exit, ManagedRuntime } from "effect"
import { InvalidIdempotencyKey } from "../domain/errors/InputErrors.ts"
import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"
import type { Page } from "../domain/Page.ts"
import { memory } from "../memory/MemoryStorage.ts"
import type { StorageAdapter } from "../ports/Storage.ts"
import type { Engine } from "../services/Engine.ts"
import type { CreateOptions } from "../services/Options.ts"
import { Petstore as EffectPetstore } from "./EffectPetstore.ts"
import type { Petstore } from "./Petstore.ts"
import type { CallOptions } from "./PetstoreApi.ts"

export interface PetstoreOptions {
  /** Where the data lives; in memory if absent. */
  readonly storage?: StorageAdapter
}

type Runtime = ManagedRuntime.ManagedRuntime<EffectPetstore | Engine, unknown>

const runtimes = new WeakMap<Petstore, Runtime>()

/** The engine under a petstore of {@link createPetstore}, for hosts that serve it. */
export const runtimeOf = (petstore: Petstore): Runtime => {
  const runtime = runtimes.get(petstore)
  if (runtime === undefined) {
    throw new TypeError("This is not a petstore of createPetstore, or @petstore/core is installed twice")
  }
  return runtime
}

const knownOptions: ReadonlySet<string> = new Set(["storage"] satisfies ReadonlyArray<keyof PetstoreOptions>)

const checkOptions = (options: PetstoreOptions): void => {
  if (typeof options !== "object" || options === null) {
    throw new TypeError("createPetstore takes an object of options, such as { storage: memory() }")
  }
  const unknown = Object.keys(options).filter((name) => !knownOptions.has(name))
  if (unknown.length > 0) {
    throw new TypeError(
      `createPetstore does not know the option ${unknown.join(", ")}; it takes ${[...knownOptions].join(", ")}`
    )
  }
  if (options.storage !== undefined && typeof options.storage?.layer !== "object") {
    throw new TypeError("The option storage takes a storage adapter, such as memory()")
  }
}

/** No secret is ever kept, so a call that answers one cannot be repeated; better refused than silently made twice. */
const refuseKey = (options: (CallOptions & CreateOptions) | undefined): Effect.Effect<void, InvalidIdempotencyKey> =>
  options?.idempotencyKey === undefined ? Effect.void : Effect.fail(new InvalidIdempotencyKey({}))

async function* eachItem<A, Q extends { readonly cursor?: string }>(
  list: (query: Q) => Promise<Page<A>>,
  query: Q
): AsyncGenerator<A> {
  let page = await list(query)
  yield* page.items
  while (page.next !== undefined) {
    page = await list({ ...query, cursor: page.next })
    yield* page.items
  }
}

/**
 * Opens a petstore.
 *
 * @example
 * ```ts
 * import { createPetstore } from "@petstore/core"
 *
 * const petstore = await createPetstore()
 * const cats = await petstore.categories.create({ name: "Cats" })
 * const tom = await petstore.pets.create({ name: "Tom", categoryId: cats.id })
 * const order = await petstore.orders.place({ petId: tom.id })
 * await petstore.orders.complete(order.id)
 * await petstore.close()
 * ```
 */
export const createPetstore = async (options: PetstoreOptions = {}): Promise<Petstore> => {
  checkOptions(options)
  const runtime: Runtime = ManagedRuntime.make(EffectPetstore.layer(options.storage ?? memory()))
  const context = await runtime.context().catch(async (error: unknown) => {
    await runtime.dispose()
    throw error
  })
  const engine = Context.get(context, EffectPetstore)
  const runExit = Effect.runPromiseExitWith(context)
  const calls = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  const run = async <A, E>(effect: Effect.Effect<A, E>, options?: CallOptions): Promise<A> => {
    if (closing !== undefined) throw new ShuttingDown({}, { message: "This petstore is closed. Create another one." })
    const signal = options?.signal
    signal?.throwIfAborted()
    const call = runExit(effect, signal === undefined ? {} : { signal })
    calls.add(call)
    const exit = await call
    calls.delete(call)
    if (Exit.isSuccess(exit)) return exit.value
    throw signal?.aborted === true && Cause.hasInterruptsOnly(exit.cause) ? signal.reason : Cause.squash(exit.cause)
  }

  const { accounts, apiKeys, categories, inventory, messages, orders, pets } = engine
  const petstore: Petstore = {
    pets: {
      create: (pet, options) => run(pets.create(pet, options), options),
      get: (petId, options) => run(pets.get(petId), options),
      getWithInventory: (petId, options) => run(pets.getWithInventory(petId), options),
      list: (filter, options) => run(pets.list(filter), options),
      all: (filter = {}, options) => eachItem((query) => run(pets.list(query), options), filter),
      update: (petId, update, options) => run(pets.update(petId, update, options), options),
      delete: (petId, options) => run(pets.delete(petId, options), options)
    },
    categories: {
      create: (category, options) => run(categories.create(category, options), options),
      get: (categoryId, options) => run(categories.get(categoryId), options),
      list: (query, options) => run(categories.list(query), options),
      all: (query = {}, options) => eachItem((part) => run(categories.list(part), options), query),
      update: (categoryId, update, options) => run(categories.update(categoryId, update, options), options),
      delete: (categoryId, options) => run(categories.delete(categoryId, options), options)
    },
    inventory: {
      get: (petId, options) => run(inventory.get(petId), options),
      list: (filter, options) => run(inventory.list(filter), options),
      all: (filter = {}, options) => eachItem((query) => run(inventory.list(query), options), filter),
      set: (petId, quantity, options) => run(inventory.set(petId, quantity, options), options),
      movements: (petId, query, options) => run(inventory.movements(petId, query), options),
      allMovements: (petId, query = {}, options) =>
        eachItem((part) => run(inventory.movements(petId, part), options), query)
    },
    orders: {
      place: (order, options) => run(orders.place(order, options), options),
      get: (orderId, options) => run(orders.get(orderId), options),
      list: (filter, options) => run(orders.list(filter), options),
      all: (filter = {}, options) => eachItem((query) => run(orders.list(query), options), filter),
      update: (orderId, update, options) => run(orders.update(orderId, update, options), options),
      complete: (orderId, options) => run(orders.complete(orderId, options), options),
      cancel: (orderId, options) => run(orders.cancel(orderId, options), options)
    },
    messages: {
      enqueue: (message, options) => run(messages.enqueue(message, options), options),
      get: (messageId, options) => run(messages.get(messageId), options),
      list: (query, options) => run(messages.list(query), options),
      all: (query = {}, options) => eachItem((part) => run(messages.list(part), options), query)
    },
    accounts: {
      create: (account, options) => run(accounts.create(account, options), options),
      get: (accountId, options) => run(accounts.get(accountId), options),
      list: (query, options) => run(accounts.list(query), options),
      all: (query = {}, options) => eachItem((part) => run(accounts.list(part), options), query)
    },
    apiKeys: {
      create: (key, options) => run(Effect.andThen(refuseKey(options), apiKeys.create(key)), options),
      get: (keyId, options) => run(apiKeys.get(keyId), options),
      list: (query, options) => run(apiKeys.list(query), options),
      all: (query = {}, options) => eachItem((part) => run(apiKeys.list(part), options), query),
      rotate: (keyId, rotation, options) =>
        run(Effect.andThen(refuseKey(options), apiKeys.rotate(keyId, rotation)), options),
      revoke: (keyId, options) => run(apiKeys.revoke(keyId), options)
    },
    verify: () => run(engine.verify),
    backup: (file) =>
      engine.backup === undefined
        ? Promise.reject(new TypeError("This storage has no files to back up"))
        : run(engine.backup(file)),
    close: () => {
      closing ??= Promise.all(calls).then(() => runtime.dispose())
      return closing
    },
    [Symbol.asyncDispose]: () => petstore.close()
  }
  runtimes.set(petstore, runtime)
  return petstore
}
