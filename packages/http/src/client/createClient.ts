import type { CallOptions, PetstoreApi } from "@petstore/core"
import type { Page } from "@petstore/core/domain"
import { Cause, Effect, Exit } from "effect"
import type { ClientOptions } from "./ClientOptions.ts"
import { makeCommands } from "./commands.ts"

const run = async <A, E>(effect: Effect.Effect<A, E>, options?: CallOptions): Promise<A> => {
  const signal = options?.signal
  signal?.throwIfAborted()
  const exit = await Effect.runPromiseExit(effect, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw signal?.aborted === true && Cause.hasInterruptsOnly(exit.cause) ? signal.reason : Cause.squash(exit.cause)
}

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
 * Opens a petstore that is somewhere else. It is called like one in this process, so that a program can change between
 * the two in one line. Requests are repeated where that is safe.
 *
 * @example
 * ```ts
 * import { createPetstore } from "@petstore/core"
 * import { createHandler } from "@petstore/http"
 * import { createClient } from "@petstore/http/client"
 * import { Redacted } from "effect"
 *
 * const key = Redacted.make("an-admin-key-for-this-example")
 * const handler = createHandler(await createPetstore(), { adminKey: key })
 *
 * const petstore = createClient({
 *   baseUrl: "http://localhost:8080/v1",
 *   key,
 *   // Without a network; leave it out to have one.
 *   fetch: (url, init) => handler.fetch(new Request(url, init))
 * })
 * const cats = await petstore.categories.create({ name: "Cats" })
 * const tom = await petstore.pets.create({ name: "Tom", categoryId: cats.id })
 * tom.status // => "available"
 * ```
 */
export const createClient = (options: ClientOptions): PetstoreApi => {
  const { accounts, apiKeys, categories, inventory, messages, orders, pets } = makeCommands(options)
  return {
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
      create: (key, options) => run(apiKeys.create(key, options), options),
      get: (keyId, options) => run(apiKeys.get(keyId), options),
      list: (query, options) => run(apiKeys.list(query), options),
      all: (query = {}, options) => eachItem((part) => run(apiKeys.list(part), options), query),
      rotate: (keyId, rotation, options) => run(apiKeys.rotate(keyId, rotation, options), options),
      revoke: (keyId, options) => run(apiKeys.revoke(keyId), options)
    }
  }
}
