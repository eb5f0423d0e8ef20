import type { PetstoreApi } from "@petstore/core"
import type { Page } from "@petstore/core/domain"

/** A list, with whatever query. */
export interface AnyList {
  readonly all: (query?: never) => AsyncIterable<unknown>
  readonly list: (query?: never) => Promise<Page<unknown>>
}

/** Every list that is sorted by id, by what it has. */
export const everyList = (petstore: PetstoreApi): Readonly<Record<string, AnyList>> => {
  const { accounts, apiKeys, categories, inventory, messages, orders, pets, webhooks } = petstore
  return { accounts, apiKeys, categories, inventory, messages, orders, pets, webhooks }
}
