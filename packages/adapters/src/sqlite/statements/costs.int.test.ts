import { DatabaseSync, StatementSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore, type StorageAdapter } from "@petstore/core"
import { Storage } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { sqlite } from "../index.ts"

const methods = ["get", "all", "run", "iterate"] as const

/** By which watches look for commits of others, from time to time, and each transaction when it begins. */
const look = "PRAGMA data_version"

/** Moves the log into the file, so that it is written over from its beginning, as that of a store which is in use. */
const moveLog = (file: string): void => {
  const database = new DatabaseSync(file)
  database.exec("PRAGMA wal_checkpoint(PASSIVE)")
  database.close()
}

/** Runs calls of a petstore on a file, and counts the statements that they run. */
const statementsOf = (
  calls: (petstore: Petstore, petId: number) => Promise<unknown>,
  adapter: (file: string) => StorageAdapter = sqlite
) =>
  Effect.gen(function* () {
    const file = yield* temporaryFileInMemory
    return yield* Effect.promise(async () => {
      await using petstore = await createPetstore({ storage: adapter(file) })
      const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
      const { id: petId } = await petstore.pets.create({ name: "Tom", categoryId })
      await petstore.inventory.set(petId, 1_000)
      moveLog(file)
      await petstore.orders.place({ petId })
      const spies = methods.map((method) => vi.spyOn(StatementSync.prototype, method))
      try {
        await calls(petstore, petId)
        const statements = spies.flatMap(({ mock }) =>
          mock.contexts.map((one) => Reflect.get(Object(one), "sourceSQL"))
        )
        return statements.filter((sql, at) => sql !== look || statements[at - 1] === "BEGIN IMMEDIATE").length
      } finally {
        for (const spy of spies) spy.mockRestore()
      }
    })
  })

const times = <A>(count: number, call: () => Promise<A>): Promise<ReadonlyArray<A>> =>
  Promise.all(Array.from({ length: count }, call))

// Times depend on the machine, counts do not. If one of these rises, a call costs more than it did: know why.
describe("the statements of a call", () => {
  it.effect("given a pet, when it is read, then it takes 1 at most", () =>
    Effect.gen(function* () {
      assert.isAtMost(yield* statementsOf((petstore, petId) => petstore.pets.get(petId)), 1)
    })
  )

  it.effect("given pets, when a page of them is read, then it takes 1 at most", () =>
    Effect.gen(function* () {
      assert.isAtMost(yield* statementsOf((petstore) => petstore.pets.list({ status: "available" })), 1)
    })
  )

  it.effect(
    "given an order alone, when it is placed, then it takes 8 at most, with its transaction and the look for commits of others",
    () =>
      Effect.gen(function* () {
        assert.isAtMost(yield* statementsOf((petstore, petId) => petstore.orders.place({ petId })), 8)
      })
  )

  it.effect("given watches that want no events, when an order is placed, then it takes no more", () =>
    Effect.gen(function* () {
      // As those of a server, which only look what there is to do.
      const watched = (file: string): StorageAdapter => ({
        name: "watched",
        layer: Layer.effect(
          Storage,
          Effect.gen(function* () {
            const store = Context.get(yield* Layer.build(sqlite(file).layer), Storage)
            yield* store.watch(() => {})
            return store
          })
        )
      })
      assert.isAtMost(yield* statementsOf((petstore, petId) => petstore.orders.place({ petId }), watched), 8)
    })
  )

  it.effect("given 64 orders at a time, when they are placed, then all share one transaction", () =>
    Effect.gen(function* () {
      const count = yield* statementsOf((petstore, petId) => times(64, () => petstore.orders.place({ petId })))
      assert.isAtMost(count, 64 * 2 + 6)
    })
  )
})
