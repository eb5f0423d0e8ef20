import type { Storage } from "@petstore/core/ports"
import { aNewCategoryRecord, aPetRecord, aStock } from "@petstore/testing"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { LmdbDatabase, openStore } from "./lmdb.ts"
import { temporaryFile } from "./test/temporaryFile.ts"

type Store = Storage["Service"]

const many = 500
const limit = 5
const at = "2026-01-01T00:00:00.000Z"

/** Many pets and drafts of which only the last few are what the lists below ask for. */
const fill = (store: Store) =>
  store.transact(
    Effect.gen(function* () {
      const dogs = yield* store.categories.insert(aNewCategoryRecord())
      const cats = yield* store.categories.insert(aNewCategoryRecord({ name: "Cats" }))
      for (let n = 1; n <= many; n++) {
        const rare = n > many - 2
        const stock = aStock({ onHand: rare ? 0 : 1 })
        yield* store.pets.insert(aPetRecord({ name: rare ? "Max" : "Rex", categoryId: rare ? cats : dogs, stock }))
        const order = rare
          ? ({ state: "complete", petId: n, quantity: 1, shipDate: at } as const)
          : { state: "draft" as const }
        yield* store.orders.insert({ order, version: 1, ...(rare ? { owner: "7 ada" } : {}) })
      }
    })
  )

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
        const page = { after: 0, limit }
        const lists: Readonly<Record<string, Effect.Effect<ReadonlyArray<unknown>, unknown>>> = {
          status: store.pets.list({ ...page, status: "sold" }),
          category: store.pets.list({ ...page, categoryId: 2 }),
          both: store.pets.list({ ...page, status: "sold", categoryId: 2 }),
          name: store.pets.list({ ...page, name: "Ma" }),
          "name, of a status": store.pets.list({ ...page, name: "", status: "sold" }),
          "name, of both": store.pets.list({ ...page, name: "Max", status: "sold", categoryId: 2 }),
          "name, behind many": store.pets.list({ ...page, name: "R", after: many - 4, afterName: "Rex" }),
          "pet of an order": store.orders.list({ ...page, petId: many }),
          complete: store.orders.list({ ...page, complete: true }),
          owner: store.orders.list({ ...page, owner: "7 ada" }),
          "pet, of an owner": store.orders.list({ ...page, owner: "7 ada", petId: many }),
          end: store.pets.list({ after: many - 2, limit })
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
        root.removeSync(["pets", "named", "any", "any", "Max", many])
        root.putSync(["orders", "live", "any", true, 1], null)
        assert.deepStrictEqual(yield* store.inspect, [
          "pets: the entries do not agree with the rows",
          "orders: the entries do not agree with the rows"
        ])
      })
    ))
})
