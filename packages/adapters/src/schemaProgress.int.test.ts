import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Petstore, type StorageAdapter } from "@petstore/core/effect"
import { SchemaProgress } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { nextOfPostgres, nextOfSqlite, onDatabase, onFile } from "../test/support/nextVersion.ts"
import { query, testDatabase } from "../test/support/postgres.ts"
import { temporaryFileInMemory } from "../test/support/temporary.ts"
import { postgres } from "./postgres/index.ts"
import { migrate as migrateSchema } from "./postgres/schema/migrate.ts"
import { sqlite } from "./sqlite/index.ts"
import { migrate as migrateFile } from "./sqlite/schema/migrate.ts"

const pets = 25_000

const insertPets = (schema: string, numbers: string) => `INSERT INTO ${schema}petstore_pets
  (name, category_id, status, version, on_hand, reserved, held, stock_version, last_movement, created_at, updated_at, deleted)
  SELECT 'Rex ' || n, 1, 'sold', 1, 0, 0, FALSE, 1, 0, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', FALSE FROM ${numbers}`

/** What opening a store reports, as far as its text has changed. */
const stepsOf = (adapter: StorageAdapter, options: Parameters<typeof Petstore.layer>[1] = {}) =>
  Effect.gen(function* () {
    const steps: Array<string> = []
    yield* Effect.scoped(Layer.build(Petstore.layer(adapter, options))).pipe(
      Effect.provideService(SchemaProgress, (done, share) => {
        steps.push(`${done}: ${Math.round(share * 100)} %`)
      })
    )
    return steps
  })

const categories = Effect.gen(function* () {
  yield* (yield* Petstore).categories.create({ name: "Dogs" })
})

const wanted = { indexes: ["pets.createdAt", "inventory.available"], search: "words" } as const

describe("progress of what opening a store changes", () => {
  it.effect(
    "given SQLite, then words and indexes are reported before each step, and nothing of a new or a ready file",
    () =>
      Effect.gen(function* () {
        const file = yield* temporaryFileInMemory
        const adapter = sqlite({ file })
        assert.deepStrictEqual(yield* stepsOf(adapter), [])
        yield* Effect.provide(categories, Petstore.layer(adapter))
        const database = new DatabaseSync(file)
        database.exec(
          insertPets(
            "",
            `(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${pets}) SELECT n FROM s)`
          )
        )
        database.close()
        assert.deepStrictEqual(yield* stepsOf(adapter, wanted), [
          "words of 0 pets indexed: 0 %",
          "words of 10000 pets indexed: 40 %",
          "words of 20000 pets indexed: 80 %",
          "0 of 3 indexes built: 0 %",
          "1 of 3 indexes built: 33 %",
          "2 of 3 indexes built: 67 %"
        ])
        assert.deepStrictEqual(yield* stepsOf(adapter, wanted), [])
        const steps: Array<string> = []
        yield* onFile(file, (connection) => migrateFile(connection, nextOfSqlite(), (done) => steps.push(done)))
        assert.deepStrictEqual(steps, ["0 of 1 migrations applied"])
      })
  )

  it.effect("given PostgreSQL, then so they are", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const adapter = postgres({ url })
      assert.deepStrictEqual(yield* stepsOf(adapter), [])
      yield* Effect.provide(categories, Petstore.layer(adapter))
      yield* Effect.promise(() => query(url, insertPets("petstore.", `generate_series(1, 5000) AS n`)))
      const steps = yield* stepsOf(adapter, wanted)
      assert.deepStrictEqual(steps.slice(0, 3), [
        "words of 0 pets indexed: 0 %",
        "words of 2000 pets indexed: 40 %",
        "words of 4000 pets indexed: 80 %"
      ])
      assert.includeMembers(steps, ["0 of 3 indexes built: 0 %", "2 of 3 indexes built: 67 %"])
      assert.deepStrictEqual(yield* stepsOf(adapter, wanted), [])
      const migrated: Array<string> = []
      yield* onDatabase(url, (connection) =>
        migrateSchema(connection, "petstore", nextOfPostgres(), (done) => migrated.push(done))
      )
      assert.deepStrictEqual(migrated, ["0 of 1 migrations applied"])
    })
  )
})
