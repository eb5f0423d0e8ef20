// What a page costs in a large store, for every combination of filters, against a page without any; and how much readers of
// such pages slow down callers who place orders. The data is the worst case: half of the pets have one name, some
// categories and statuses have few pets. The number of pets is the first argument.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { memory } from "@petstore/adapters/memory"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import type { Command, Table, Transaction } from "@petstore/core/engine"
import { Storage, type StorageAdapter } from "@petstore/core/ports"
import { categories, type PetQuery, petsBy, pets as petTable } from "@petstore/core/tables"
import { aCategoryRecord, aPetRecord } from "@petstore/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Store = Storage["Service"]

const pets = Number(process.argv[2] ?? 1_000_000)
const limit = 20
const stocks = {
  available: { onHand: 1_000_000, reserved: 0, held: false },
  pending: { onHand: 1, reserved: 0, held: true },
  sold: { onHand: 0, reserved: 0, held: false }
}

const petOf = (n: number) =>
  aPetRecord({
    name: n % 2 === 0 ? "Rex" : `Rex ${n}`,
    categoryId: n % 1000 === 0 ? 2 : 1,
    stock: n % 50_000 === 0 ? stocks.sold : n % 3 === 0 ? stocks.pending : stocks.available,
    lastMovement: 0
  })

function* added<Row>(tx: Transaction, table: Table<Row>, rowsOf: ReadonlyArray<(id: number) => Row>): Command<void> {
  yield* tx.insertAll(table, rowsOf)
}

const seed = (store: Store) =>
  Effect.gen(function* () {
    yield* store.run((tx) =>
      added(
        tx,
        categories,
        ["Dogs", "Cats"].map((name) => (id) => aCategoryRecord({ id, name }))
      )
    )
    for (let from = 1; from <= pets; from += 5000) {
      const batch = Array.from({ length: Math.min(5000, pets - from + 1) }, (_, n) => petOf(from + n))
      yield* store.run((tx) =>
        added(
          tx,
          petTable,
          batch.map((pet) => (id) => ({ ...pet, id }))
        )
      )
    }
  })

const middle = Math.floor(pets / 4) * 2
const places: Readonly<Record<string, Pick<PetQuery, "after" | "afterName">>> = {
  first: { after: 0 },
  middle: { after: middle, afterName: "Rex" },
  // Names with digits sort after the plain one.
  late: { after: pets - 101, afterName: `Rex ${pets - 101}` }
}

const queries: ReadonlyArray<readonly [string, PetQuery]> = [undefined, "available", "sold"].flatMap((status) =>
  [undefined, 1, 2].flatMap((categoryId) =>
    [undefined, "", "R", "Rex 9"].flatMap((name) =>
      Object.entries(places)
        .filter(([, { afterName = name }]) => name === undefined || afterName?.startsWith(name))
        .map(([place, position]) => {
          const query = { status, categoryId, name, ...position } as PetQuery
          return [`${JSON.stringify({ status, categoryId, name })} ${place}`, query] as const
        })
    )
  )
)

const median = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

const percentile = (values: ReadonlyArray<number>, part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0

const timed = (store: Store, query: PetQuery, times: number): number => {
  const page = () => {
    const start = performance.now()
    Effect.runSync(store.select(petsBy, query, limit))
    return (performance.now() - start) * 1000
  }
  return median(Array.from({ length: times }, page))
}

/** Each is measured between two measurements of the plain page, so that other load on the machine affects both equally. */
const comparePages = (store: Store) => {
  const plain: PetQuery = { after: 0 }
  timed(store, plain, 500)
  const ratios = queries.map(([name, query]) => {
    timed(store, query, 20)
    const before = timed(store, plain, 50)
    const own = timed(store, query, 50)
    const after = timed(store, plain, 50)
    return { name, own, ratio: (own * 2) / (before + after) }
  })
  const slowest = [...ratios].sort((a, b) => b.ratio - a.ratio).slice(0, 5)
  console.log(`  a plain page takes ${timed(store, plain, 200).toFixed(0)} µs; the slowest of ${queries.length} pages:`)
  for (const { name, own, ratio } of slowest) console.log(`  ${ratio.toFixed(2)} times: ${own.toFixed(0)} µs ${name}`)
  return Math.max(...ratios.map(({ ratio }) => ratio))
}

/** Milliseconds that each order takes beside so many readers of pages by name. */
const orders = async (storage: StorageAdapter, readers: number) => {
  const petstore = await createPetstore({ storage })
  let isOver = false
  const reader = async () => {
    for (let cursor: string | undefined; !isOver; ) {
      const page = await petstore.pets.list({ name: "R", status: "sold", ...(cursor === undefined ? {} : { cursor }) })
      await petstore.pets.list({ name: "Rex" })
      cursor = page.next
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const reading = Array.from({ length: readers }, reader)
  const times: Array<number> = []
  for (let n = 0; n < 500; n++) {
    const start = performance.now()
    await petstore.orders.place({ petId: 1 })
    times.push(performance.now() - start)
  }
  isOver = true
  await Promise.all(reading)
  await petstore.close()
  return `median ${median(times).toFixed(2)} ms, 99th percentile ${percentile(times, 0.99).toFixed(2)} ms`
}

const run = async (name: string, adapter: () => StorageAdapter) => {
  console.log(`${name}, ${pets} pets`)
  const worst = await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const store = Context.get(yield* Layer.build(adapter().layer), Storage)
        const start = performance.now()
        yield* seed(store)
        console.log(`  seeded in ${((performance.now() - start) / 1000).toFixed(1)} s`)
        return comparePages(store)
      })
    )
  )
  console.log(`  an order alone: ${await orders(adapter(), 0)}`)
  console.log(`  an order beside two readers: ${await orders(adapter(), 2)}`)
  return worst
}

const directory = mkdtempSync(join(tmpdir(), "petstore-lists-"))
try {
  const file = join(directory, "petstore.db")
  const inMemory = memory()
  const worst = [await run("sqlite", () => sqlite(file)), await run("memory", () => inMemory)]
  if (Math.max(...worst) > 4) {
    console.error("A page with filters costs more than 4 plain pages.")
    process.exitCode = 1
  }
} finally {
  rmSync(directory, { recursive: true })
}
