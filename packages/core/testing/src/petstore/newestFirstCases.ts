import type { PetstoreApi } from "@petstore/core"
import type { EventListQuery, Page } from "@petstore/core/domain"
import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { petOf } from "./given.ts"
import { collect } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

interface Query {
  readonly limit?: number
  readonly cursor?: string
}

interface List {
  readonly all: (sort: "id" | "-id" | undefined, query?: Query) => AsyncIterable<unknown>
  readonly list: (sort: "id" | "-id", query?: Query) => Promise<Page<unknown>>
}

/** Each list that is sorted by id, with several items. */
const listsOf = async (petstore: PetstoreApi): Promise<Readonly<Record<string, List>>> => {
  const { accounts, apiKeys, categories, inventory, messages, webhooks } = petstore
  const ids = [1, 2, 3]
  for (const id of ids) {
    await petOf(petstore, id)
    await messages.enqueue(`Message ${id}`)
    const account = await accounts.create({ name: `Newest ${id}` })
    await apiKeys.create({ accountId: account.id, name: "Key", preset: "read" })
  }
  const { id: webhookId } = await webhooks.create({ url: "https://example.com/1" })
  await webhooks.create({ url: "https://example.com/2" })
  const sorted = <S extends string>(sort: S | undefined) => (sort === undefined ? {} : { sort })
  const of = (methods: {
    all: (query: Query & { readonly sort?: "id" | "-id" }) => AsyncIterable<unknown>
    list: (query: Query & { readonly sort?: "id" | "-id" }) => Promise<Page<unknown>>
  }): List => ({
    all: (sort, query) => methods.all({ ...query, ...sorted(sort) }),
    list: (sort, query) => methods.list({ ...query, sort })
  })
  return {
    accounts: of(accounts),
    apiKeys: of(apiKeys),
    categories: of(categories),
    inventory: of(inventory),
    sold: {
      all: (sort, query) => inventory.all({ ...query, ...sorted(sort), status: "available" }),
      list: (sort, query) => inventory.list({ ...query, sort, status: "available" })
    },
    messages: of(messages),
    queued: {
      all: (sort, query) => messages.all({ ...query, ...sorted(sort), status: "queued" }),
      list: (sort, query) => messages.list({ ...query, sort, status: "queued" })
    },
    webhooks: of(webhooks),
    deliveries: {
      all: (sort, query) => webhooks.allDeliveries(webhookId, { ...query, ...sorted(sort) }),
      list: (sort, query) => webhooks.deliveries(webhookId, { ...query, sort })
    }
  }
}

export const newestFirstCases = petstoreCases("newest first", {
  "every list of ids has the reversed order too, in pages of any size": async (petstore) => {
    for (const [name, { all }] of Object.entries(await listsOf(petstore))) {
      const ascending = await collect(all("id"))
      assertEqual(await collect(all(undefined)), ascending, name)
      for (const limit of [1, 2, 100]) {
        assertEqual(await collect(all("-id", { limit })), ascending.toReversed(), `${name} in pages of ${limit}`)
      }
    }
  },
  "a cursor works with its own direction": async (petstore) => {
    for (const { list } of Object.values(await listsOf(petstore))) {
      const { next } = await list("-id", { limit: 1 })
      if (next === undefined) continue
      await list("-id", { cursor: next })
      await rejectsWith("invalid_cursor", list("id", { cursor: next }))
      await rejectsInput(list("name" as "id"), "/query/sort")
    }
  },
  "the log has its newest events first, if asked, with its filters": async (petstore) => {
    for (let id = 1; id <= 3; id++) await petOf(petstore, id)
    const ascending = await collect(petstore.events.all())
    const [after, types] = [3, ["pet.created" as const]]
    for (const limit of [1, 2, 100]) {
      const listed = (query: EventListQuery) => collect(petstore.events.all({ sort: "-seq", limit, ...query }))
      assertEqual(await listed({}), ascending.toReversed(), `pages of ${limit}`)
      assertEqual(await listed({ after }), ascending.slice(after).toReversed())
      assertEqual(await listed({ types }), ascending.filter(({ type }) => type === "pet.created").toReversed())
      assertEqual(await listed({ until: "2000-01-01T00:00:00Z" }), [])
      assertEqual(await listed({ since: "2000-01-01T00:00:00Z" }), ascending.toReversed())
    }
    const { next = "" } = await petstore.events.list({ sort: "-seq", limit: 1 })
    await rejectsWith("invalid_cursor", petstore.events.list({ cursor: next }))
    await rejectsInput(petstore.events.list({ sort: "-id" as "-seq" }), "/query/sort")
  },
  "the ledger of a pet has its newest movements first, if asked": async (petstore) => {
    const petId = await petOf(petstore, 9)
    for (const quantity of [8, 7, 6]) await petstore.inventory.set(petId, quantity)
    const ascending = await collect(petstore.inventory.allMovements(petId))
    for (const limit of [1, 2, 100]) {
      const descending = await collect(petstore.inventory.allMovements(petId, { sort: "-seq", limit }))
      assertEqual(descending, ascending.toReversed(), `pages of ${limit}`)
    }
    await rejectsInput(petstore.inventory.movements(petId, { sort: "-id" as "-seq" }), "/query/sort")
  }
})
