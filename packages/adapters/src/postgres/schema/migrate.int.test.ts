import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { Storage } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { migrationCases } from "../../../test/support/migrationCases.ts"
import { migrateDatabase, nextId, nextOfPostgres, onDatabase } from "../../../test/support/nextVersion.ts"
import { openHostPool } from "../../../test/support/postgres/hostPool.ts"
import { openPostgres } from "../../../test/support/postgres/openPostgres.ts"
import { query, testDatabase } from "../../../test/support/postgres.ts"
import { startProgram } from "../../../test/support/program.ts"
import { rejection } from "../../../test/support/rejections.ts"
import { postgres } from "../postgres.ts"
import { plannedMigration, requireMigrated } from "./migrate.ts"
import { migrationState, schemaProblems } from "./migrationState.ts"
import { migrations } from "./migrations/index.ts"

const live = (name: string, body: Effect.Effect<void, unknown, Scope.Scope>, timeout?: number) =>
  it.live(name, () => Effect.scoped(body), timeout)

const last = nextId.postgres - 1

const openStore = (url: string, migrates = true) =>
  Effect.map(Layer.build(postgres({ url, migrate: migrates }).layer), (context) => Context.get(context, Storage))

const open = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: postgres(url) })),
    (petstore) => Effect.promise(() => petstore.close())
  )

/** A schema of this release, with the pet Rex. */
const shop = Effect.gen(function* () {
  const url = yield* testDatabase
  const petstore = yield* open(url)
  yield* Effect.promise(async () => {
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    await petstore.pets.create({ name: "Rex", categoryId })
  })
  return { petstore, url }
})

const nicknames = (url: string) =>
  Effect.promise(async () => {
    const found = await query(url, "SELECT nickname FROM petstore.petstore_pets ORDER BY id")
    return found.map(({ nickname }) => nickname)
  })

/** The steps that a schema records, and those that it lacks. */
const recorded = (url: string) =>
  Effect.map(migrationState(url), (states) => states.map(({ appliedAt, id }) => [id, appliedAt !== undefined]))

const known = migrations.map(({ id }) => [id, true])

const [nicknamesStep = { sql: "" }] = nextOfPostgres().slice(-1)

describe("given a schema of this release", () => {
  migrationCases({
    nextId: nextId.postgres,
    migrationsTable: "petstore.petstore_migrations",
    shop: Effect.map(shop, ({ url }) => url),
    migrationState,
    schemaProblems,
    migrateToNext: (url, ending) =>
      migrateDatabase(url, ending === undefined ? nextOfPostgres() : nextOfPostgres(`${nicknamesStep.sql}; ${ending}`)),
    requireNext: (url) => onDatabase(url, (connection) => requireMigrated(connection, "petstore", nextOfPostgres())),
    plannedForNext: (url) =>
      onDatabase(url, (connection) => plannedMigration(connection, "petstore", nextOfPostgres())),
    run: (url, sql) => Effect.promise(() => query(url, sql)),
    nicknames
  })

  live(
    "when the connection that migrates it is lost, then it is as before, and can be migrated again",
    Effect.gen(function* () {
      const { petstore, url } = yield* shop
      const slow = nextOfPostgres(`${nicknamesStep.sql}; SELECT pg_sleep(600)`)
      const migrating = yield* Effect.forkChild(Effect.flip(migrateDatabase(url, slow)))
      const lose = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'PgSleep'`
      while ((yield* Effect.promise(() => query(url, lose))).length === 0) yield* Effect.sleep(10)
      yield* Fiber.join(migrating)
      assert.deepStrictEqual(yield* recorded(url), known)
      assert.isTrue((yield* Effect.promise(() => petstore.verify())).ok)
      yield* migrateDatabase(url)
      assert.deepStrictEqual(yield* nicknames(url), ["Rex"])
    })
  )
})

describe("given a schema that the next release has migrated", () => {
  live(
    "when this release can work with it, then servers that run and that start keep working",
    Effect.gen(function* () {
      const { petstore: before, url } = yield* shop
      yield* migrateDatabase(url)
      const tim = yield* Effect.promise(() => before.pets.create({ name: "Tim", categoryId: 1 }))
      const after = yield* open(url)
      const order = yield* Effect.promise(() => after.orders.place({ petId: tim.id }))
      assert.strictEqual(order.petId, tim.id)
      const store = yield* openStore(url, false)
      yield* store.ready
      const report = yield* Effect.promise(() => after.verify())
      assert.isTrue(report.ok)
      assert.deepStrictEqual(yield* recorded(url), [...known, [nextId.postgres, true]])
    })
  )

  live(
    "when this release cannot work with it, then it does not open, and what runs is not ready, rejects writes and serves reads",
    Effect.gen(function* () {
      const url = yield* testDatabase
      const store = yield* openStore(url)
      yield* store.ready
      const pool = yield* openHostPool({ connectionString: url, max: 1 })
      const running = yield* openPostgres({ pool })
      yield* Effect.promise(() => running.orders.place({}))
      const renamed = "ALTER TABLE petstore_pets RENAME COLUMN name TO title"
      yield* migrateDatabase(url, nextOfPostgres(renamed, nextId.postgres))
      for (const migrates of [true, false]) {
        const refused = yield* Effect.flip(Effect.scoped(openStore(url, migrates)))
        assert.strictEqual(
          refused.message,
          `Migration ${nextId.postgres} (nicknames) of the schema petstore was applied by a newer release; this one knows up to ${last}, and cannot work with it. Update @petstore/adapters.`
        )
      }
      const lacking = `migration ${nextId.postgres} to the schema petstore`
      const notReady = yield* Effect.flip(store.ready)
      assert.strictEqual(notReady._tag, "StorageUnavailable")
      assert.include(notReady.message, lacking)
      yield* Effect.sleep("1100 millis")
      yield* Effect.promise(async () => {
        const isRefused = async (write: Promise<unknown>) => {
          const error = await rejection(write)
          assert.strictEqual(error.code, "storage_unavailable")
          assert.include(error.message, lacking)
        }
        const client = await pool.connect()
        await client.query("BEGIN")
        const joined = running.orders.place({}, { transaction: client })
        await Promise.allSettled([joined])
        await client.query("COMMIT")
        client.release()
        await isRefused(joined)
        await isRefused(running.orders.place({}))
        await isRefused(running.transaction((tx) => tx.orders.place({})))
        await isRefused(running.messages.enqueue("Feed the fish"))
        assert.lengthOf((await running.orders.list()).items, 1)
      })
    })
  )

  live(
    "when it records the last step but not one before it, then this release does not open it",
    Effect.gen(function* () {
      const { url } = yield* shop
      yield* migrateDatabase(url)
      yield* Effect.promise(() => query(url, "DELETE FROM petstore.petstore_migrations WHERE id = 1"))
      const { message } = yield* Effect.flip(Effect.scoped(openStore(url)))
      assert.include(message, "Migration 1 (initial) is not recorded")
    })
  )
})

describe("many processes that start on a database", () => {
  const starters = 4

  live(
    `given ${starters} at once on an empty database, then one migrates it, and each of them works`,
    Effect.gen(function* () {
      const url = yield* testDatabase
      const programs = yield* Effect.forEach(
        Array.from({ length: starters }),
        () => startProgram("open-postgres", url),
        { concurrency: "unbounded" }
      )
      for (const { line } of programs) assert.strictEqual(yield* line, "ready")
      for (const { send } of programs) yield* send("go")
      const names = yield* Effect.forEach(programs, ({ line }) => line, { concurrency: "unbounded" })
      assert.sameMembers(
        names,
        programs.map(({ process }) => `process ${process.pid}`)
      )
      assert.deepStrictEqual(
        yield* Effect.forEach(programs, ({ exit }) => exit),
        programs.map(() => 0)
      )
      const applied = yield* Effect.promise(() =>
        query(url, "SELECT id::int FROM petstore.petstore_migrations ORDER BY id")
      )
      assert.deepStrictEqual(
        applied.map(({ id }) => id),
        migrations.map(({ id }) => id)
      )
    }),
    180_000
  )

  live(
    "given many that meet in the middle of a migration, then those that waited find it done",
    Effect.gen(function* () {
      const url = yield* testDatabase
      const opening = { concurrency: "unbounded" } as const
      yield* Effect.forEach(Array.from({ length: 8 }), () => Effect.scoped(openStore(url)), opening)
    })
  )

  live(
    "given many in one process on many schemas, then each has its own tables",
    Effect.gen(function* () {
      const url = yield* testDatabase
      const schemas = Array.from({ length: 10 }, (_, shop) => `shop_${shop % 5}`)
      yield* Effect.forEach(schemas, (schema) => Effect.scoped(Layer.build(postgres({ url, schema }).layer)), {
        concurrency: "unbounded"
      })
      const found = yield* Effect.promise(() =>
        query(url, "SELECT schemaname FROM pg_tables WHERE tablename = 'petstore_pets' ORDER BY 1")
      )
      assert.deepStrictEqual(
        found.map(({ schemaname }) => schemaname),
        ["shop_0", "shop_1", "shop_2", "shop_3", "shop_4"]
      )
    })
  )
})
