import type { InventoryFilter, OrderFilter, PageQuery, PetFilter } from "@petstore/core/domain"
import { allPages } from "@petstore/core/remote"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { ClientOptions } from "./ClientOptions.ts"
import { makeCommands } from "./commands.ts"

const make = (options: ClientOptions) => {
  const { accounts, apiKeys, categories, inventory, messages, orders, pets } = makeCommands(options)
  return {
    pets: { ...pets, all: (filter: PetFilter = {}) => allPages(pets.list, filter) },
    categories: { ...categories, all: (query: PageQuery = {}) => allPages(categories.list, query) },
    inventory: {
      ...inventory,
      all: (filter: InventoryFilter = {}) => allPages(inventory.list, filter),
      allMovements: (petId: number, query: PageQuery = {}) =>
        allPages((page: PageQuery) => inventory.movements(petId, page), query)
    },
    orders: { ...orders, all: (filter: OrderFilter = {}) => allPages(orders.list, filter) },
    messages: { ...messages, all: (query: PageQuery = {}) => allPages(messages.list, query) },
    accounts: { ...accounts, all: (query: PageQuery = {}) => allPages(accounts.list, query) },
    apiKeys: { ...apiKeys, all: (query: PageQuery = {}) => allPages(apiKeys.list, query) }
  }
}

/**
 * A petstore that is somewhere else, for users of Effect: the commands of `Petstore` in `@petstore/core/effect`, all but
 * those of its owner. Requests are repeated where that is safe.
 *
 * @example
 * ```ts
 * import { HttpPetstore } from "@petstore/http/client"
 * import { Effect, Stream } from "effect"
 *
 * const names = Effect.gen(function* () {
 *   const petstore = yield* HttpPetstore
 *   return yield* Stream.runCollect(Stream.map(petstore.pets.all({ status: "available" }), (pet) => pet.name))
 * })
 *
 * const program = names.pipe(
 *   Effect.catchTag("RateLimited", ({ details }) => Effect.fail(`try again in ${details.retryAfterSeconds} s`)),
 *   Effect.provide(HttpPetstore.layer({ baseUrl: "https://pets.example/v1", key: "psk_..." }))
 * )
 * ```
 */
export class HttpPetstore extends Context.Service<HttpPetstore, ReturnType<typeof make>>()(
  "@petstore/http/client/HttpPetstore"
) {
  static readonly layer = (options: ClientOptions): Layer.Layer<HttpPetstore> =>
    Layer.sync(HttpPetstore, () => make(options))
}
