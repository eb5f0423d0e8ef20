// What each operation of a busy shop costs in a large store against a small one, call by call in turn.

import { postgres } from "@petstore/adapters/postgres"
import { createPetstore, type Petstore } from "@petstore/core"
import { migrate } from "./migrate.ts"
import { comparisonOf, load, median, percentile, type Row } from "./report.ts"
import { seed } from "./seed.ts"
import type { Server } from "./server.ts"

const small = 10_000
const bound = 1.3

interface Store {
  readonly petstore: Petstore
  /** So many pets, and so many orders. */
  readonly rows: number
  /** Any id of the first so many, spread over all of them. */
  readonly anyId: () => number
  /** Cursors in the middle of lists. */
  readonly cursors: { readonly pets: string; readonly orders: string; readonly rex: string; readonly events: string }
  readonly placed: Array<number>
}

const cursorAfter = async (
  list: (cursor: string | undefined) => Promise<{ readonly next?: string | undefined }>,
  pages: number
) => {
  let cursor: string | undefined
  for (let page = 0; page < pages; page++) cursor = (await list(cursor)).next
  if (cursor === undefined) throw new Error("The list is too short")
  return cursor
}

const openStore = async (url: string, rows: number): Promise<Store> => {
  await migrate(url)
  const start = performance.now()
  await seed(url, { pets: rows, orders: rows })
  console.log(`  ${rows} pets and orders made in ${((performance.now() - start) / 1000).toFixed(1)} s`)
  const petstore = await createPetstore({ storage: postgres(url) })
  const at = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor })
  // The same depth in both stores.
  const cursors = {
    pets: await cursorAfter((cursor) => petstore.pets.list({ limit: 100, ...at(cursor) }), 40),
    orders: await cursorAfter((cursor) => petstore.orders.list({ limit: 100, ...at(cursor) }), 40),
    events: await cursorAfter((cursor) => petstore.events.list({ limit: 100, ...at(cursor) }), 40),
    rex: await cursorAfter((cursor) => petstore.pets.list({ name: "Rex", limit: 100, ...at(cursor) }), 20)
  }
  let random = 42
  const anyId = () => {
    random = (random * 1103515245 + 12345) % 2147483648
    return (random % rows) + 1
  }
  return { petstore, rows, anyId, cursors, placed: [] }
}

const operations: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  "pets.get": ({ anyId, petstore }) => petstore.pets.get(anyId()),
  "orders.get": ({ petstore, rows }) => petstore.orders.get(rows),
  "inventory.get": ({ anyId, petstore }) => petstore.inventory.get(anyId()),
  "pets.list": ({ petstore }) => petstore.pets.list(),
  "pets.list, deep": ({ cursors, petstore }) => petstore.pets.list({ cursor: cursors.pets }),
  "pets.list by status": ({ petstore }) => petstore.pets.list({ status: "available" }),
  "pets.list by category": ({ petstore }) => petstore.pets.list({ categoryId: 2 }),
  "pets.list by name": ({ cursors, petstore }) => petstore.pets.list({ name: "Rex", cursor: cursors.rex }),
  "pets.list by all": ({ petstore }) => petstore.pets.list({ status: "available", categoryId: 1, name: "Rex 9" }),
  "orders.list": ({ petstore }) => petstore.orders.list(),
  "orders.list, deep": ({ cursors, petstore }) => petstore.orders.list({ cursor: cursors.orders }),
  "orders.list of a pet": ({ anyId, petstore }) => petstore.orders.list({ petId: anyId() }),
  "orders.list, complete": ({ petstore }) => petstore.orders.list({ complete: true }),
  "inventory.movements": ({ anyId, petstore }) => petstore.inventory.movements(anyId()),
  "events.list": ({ cursors, petstore }) => petstore.events.list({ cursor: cursors.events }),
  "events.stream near the end": async ({ petstore, rows }) => {
    for await (const event of petstore.events.stream({ after: rows * 2 - 20 })) return event
  },
  "events.latest": ({ petstore }) => petstore.events.latest(),
  "orders.place": async ({ anyId, petstore, placed }) =>
    placed.push((await petstore.orders.place({ petId: anyId() })).id),
  "orders.place with a key": ({ anyId, petstore }) =>
    petstore.orders.place({ petId: anyId() }, { idempotencyKey: `bench-${Math.random()}` }),
  "orders.cancel": ({ petstore, placed }) => petstore.orders.cancel(placed.shift() ?? 0)
}

const timed = async (store: Store, operation: (store: Store) => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await operation(store)
  return (performance.now() - start) * 1000
}

export interface SizeOptions {
  readonly rows: number
  readonly calls: number
}

export const size = async (server: Server, { calls, rows }: SizeOptions): Promise<ReadonlyArray<Row>> => {
  console.log(`\nsizes (load ${load()})`)
  const stores = {
    small: await openStore(await server.create("small"), small),
    large: await openStore(await server.create("large"), rows)
  }
  const found: Array<Row> = []
  for (const [name, operation] of Object.entries(operations)) {
    const times = { small: [] as number[], large: [] as number[] }
    for (let call = -Math.ceil(calls / 5); call < calls; call++) {
      // Whoever goes first alternates, because the second finds the caches of the processor warm.
      const order = call % 2 === 0 ? (["small", "large"] as const) : (["large", "small"] as const)
      for (const which of order) {
        const micros = await timed(stores[which], operation)
        // The first calls warm up.
        if (call >= 0) times[which].push(micros)
      }
    }
    const ratio = median(times.large) / median(times.small)
    const tails = percentile(times.large, 0.95) / percentile(times.small, 0.95)
    const value = `${ratio.toFixed(2)} (${median(times.large).toFixed(0)} µs; 95 %: ${tails.toFixed(2)})`
    console.log(`  ${name}: ${value}`)
    const figure = `${name}, ${rows} rows / ${small} rows`
    const comparison = comparisonOf(figure, "µs", [median(times.large)], [median(times.small)], { atMost: bound })
    found.push({ figure, value, target: `<= ${bound}`, passed: ratio <= bound, comparison })
  }
  await stores.small.petstore.close()
  await stores.large.petstore.close()
  return found
}
