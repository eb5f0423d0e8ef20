import type { Storage } from "@petstore/core/ports"
import { categories, orders, ordersBy, pets, petsBy } from "@petstore/core/tables"
import { aCategoryRecord, anOrderRecord, aPetRecord, aStock } from "@petstore/testing"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { LmdbDatabase, openStore } from "./lmdb.ts"
import { temporaryFile } from "./test/temporaryFile.ts"

type Store = Storage["Service"]

const many = 500
const limit = 5
const at = "2026-01-01T00:00:00.000Z"

/** Many pets and drafts of which only the last few are what the lists below ask for. */
const fill = (store: Store) => {
  const numbers = Array.from({ length: many }, (_, index) => index + 1)
  const isRare = (n: number) => n > many - 2
  return store.run(function* (tx) {
    const named = ["Dogs", "Cats"].map((name) => (id: number) => aCategoryRecord({ id, name }))
    yield* tx.insertAll(categories, named)
    const rare = { name: "Max", categoryId: 2, stock: aStock({ onHand: 0 }) }
    const added = numbers.map((n) => (id: number) => aPetRecord({ id, ...(isRare(n) ? rare : {}) }))
    yield* tx.insertAll(pets, added)
    const placed = numbers.map((n) => (id: number) => {
      const order = { state: "complete", petId: n, quantity: 1, shipDate: at } as const
      return anOrderRecord(isRare(n) ? { id, order, owner: "7 ada" } : { id, order: { state: "draft" } })
    })
    yield* tx.insertAll(orders, placed)
  })
}

const run = (use: (store: Store, database: LmdbDatabase) => Effect.Effect<void, unknown>) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const database = yield* Effect.acquireRelease(
          Effect.sync(() => new LmdbDatabase(file)),
          ({ root }) => Effect.promise(() => root.close())
        )
        yield* use(yield* openStore(database), database)
      })
    )
  )

describe("the indexes of the LMDB adapter", () => {
  it("given many rows of which few match, when a list asks for those, then no other row is read", () =>
    run((store, { root }) =>
      Effect.gen(function* () {
        yield* fill(store)
        const lists: Readonly<Record<string, Effect.Effect<ReadonlyArray<unknown>, unknown>>> = {
          status: store.select(petsBy, { after: 0, status: "sold" }, limit),
          category: store.select(petsBy, { after: 0, categoryId: 2 }, limit),
          both: store.select(petsBy, { after: 0, status: "sold", categoryId: 2 }, limit),
          name: store.select(petsBy, { after: 0, name: "Ma" }, limit),
          "name, of a status": store.select(petsBy, { after: 0, name: "", status: "sold" }, limit),
          "name, of both": store.select(petsBy, { after: 0, name: "Max", status: "sold", categoryId: 2 }, limit),
          "name, behind many": store.select(petsBy, { name: "R", after: many - 4, afterName: "Rex" }, limit),
          "pet of an order": store.select(ordersBy, { after: 0, petId: many }, limit),
          complete: store.select(ordersBy, { after: 0, complete: true }, limit),
          owner: store.select(ordersBy, { after: 0, owner: "7 ada" }, limit),
          "pet, of an owner": store.select(ordersBy, { after: 0, owner: "7 ada", petId: many }, limit),
          end: store.select(petsBy, { after: many - 2 }, limit)
        }
        const get = root.get.bind(root)
        let reads = 0
        root.get = (...key) => {
          reads++
          return get(...key)
        }
        for (const [what, list] of Object.entries(lists)) {
          reads = 0
          const found = yield* list
          assert.isNotEmpty(found, what)
          assert.strictEqual(reads, found.length, `the rows read for the list by ${what}`)
        }
      })
    ))

  it("given an entry that is missing, or one too many, when the store is inspected, then it names the table", () =>
    run((store, { root }) =>
      Effect.gen(function* () {
        yield* fill(store)
        assert.deepStrictEqual(yield* store.inspect, [])
        root.removeSync(["pets", "status", "sold", many, many])
        root.putSync(["orders", "complete", true, 1, 1], null)
        assert.deepStrictEqual(yield* store.inspect, [
          "pets: the entries do not agree with the rows",
          "orders: the entries do not agree with the rows"
        ])
      })
    ))
})
