import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { Storage } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { query, testDatabase } from "../../../test/support/postgres.ts"
import { startProgram } from "../../../test/support/program.ts"
import { sourceOf } from "../connection/sourceOf.ts"
import { postgres } from "../postgres.ts"
import { migrate } from "./migrate.ts"
import { migrationState } from "./migrationState.ts"
import { type Migration, migrations } from "./migrations/index.ts"

const live = (name: string, body: Effect.Effect<void, unknown, Scope.Scope>, timeout?: number) =>
  it.live(name, () => Effect.scoped(body), timeout)

const last = migrations.length

/** A migration of a newer release. */
const future = (sql: string, compatibleWith: number): Migration => ({
  id: last + 1,
  name: "future",
  sql,
  checksum: "of the future",
  compatibleWith
})

/** Migrates a database as a newer release does it. */
const upgrade = (url: string, step: Migration, schema = "petstore") =>
  Effect.gen(function* () {
    const source = yield* sourceOf({ url })
    const connection = yield* Effect.acquireRelease(Effect.promise(source.connect), (opened) =>
      Effect.promise(() => source.disconnect(opened))
    )
    yield* Effect.promise(() => migrate(connection, schema, [...migrations, step]))
  })

const openStore = (url: string, migrates = true) =>
  Effect.map(Layer.build(postgres({ url, migrate: migrates }).layer), (context) => Context.get(context, Storage))

const open = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: postgres(url) })),
    (petstore) => Effect.promise(() => petstore.close())
  )

describe("a schema that a newer release has migrated", () => {
  live(
    "given a migration that this release can work with, then servers that run and that start keep working",
    Effect.gen(function* () {
      const url = yield* testDatabase
      const before = yield* open(url)
      const { id: categoryId } = yield* Effect.promise(() => before.categories.create({ name: "Dogs" }))
      yield* upgrade(url, future("ALTER TABLE petstore_pets ADD COLUMN nickname text", last))
      const rex = yield* Effect.promise(() => before.pets.create({ name: "Rex", categoryId }))
      const after = yield* open(url)
      const order = yield* Effect.promise(() => after.orders.place({ petId: rex.id }))
      assert.strictEqual(order.petId, rex.id)
      const store = yield* openStore(url, false)
      yield* store.ready
      const report = yield* Effect.promise(() => after.verify())
      assert.isTrue(report.ok)
      const ids = (yield* migrationState(url)).map(({ appliedAt, id }) => [id, appliedAt !== undefined])
      assert.deepStrictEqual(ids.at(-1), [last + 1, true])
    })
  )

  live(
    "given a migration that this release cannot work with, then it does not open, and what runs is not ready any more",
    Effect.gen(function* () {
      const url = yield* testDatabase
      const running = yield* openStore(url)
      yield* running.ready
      yield* upgrade(url, future("ALTER TABLE petstore_pets RENAME COLUMN name TO title", last + 1))
      for (const migrates of [true, false]) {
        const refused = yield* Effect.flip(Effect.scoped(openStore(url, migrates)))
        assert.strictEqual(
          refused.message,
          `Migration ${last + 1} (future) of the schema petstore was applied by a newer release; this one knows up to ${last}, and cannot work with it. Update @petstore/adapters.`
        )
      }
      const notReady = yield* Effect.flip(running.ready)
      assert.strictEqual(notReady._tag, "StorageUnavailable")
      assert.include(notReady.message, `migration ${last + 1} to the schema petstore`)
    })
  )

  live(
    "given a migration with the number of one of this release and another text, then it does not open",
    Effect.gen(function* () {
      const url = yield* testDatabase
      yield* Effect.scoped(openStore(url))
      yield* Effect.promise(() => query(url, "UPDATE petstore.petstore_migrations SET checksum = 'x' WHERE id = 1"))
      const refused = yield* Effect.flip(Effect.scoped(openStore(url)))
      assert.include(refused.message, "applied in another form")
    })
  )

  live(
    "given a migration that is not recorded while a later one is, then it does not open",
    Effect.gen(function* () {
      const url = yield* testDatabase
      yield* Effect.scoped(openStore(url))
      yield* Effect.promise(() => query(url, "DELETE FROM petstore.petstore_migrations WHERE id = 1"))
      const refused = yield* Effect.flip(Effect.scoped(openStore(url)))
      assert.include(refused.message, "Migration 1 (initial) is not recorded")
    })
  )

  live(
    "given a migration that fails half-way, then nothing of it remains, and it succeeds when repeated",
    Effect.gen(function* () {
      const url = yield* testDatabase
      yield* Effect.scoped(openStore(url))
      const add = "ALTER TABLE petstore_pets ADD COLUMN nickname text;"
      const exit = yield* Effect.exit(Effect.scoped(upgrade(url, future(`${add} SELECT nothing FROM nowhere`, last))))
      assert.strictEqual(exit._tag, "Failure")
      yield* Effect.scoped(upgrade(url, future(add, last)))
      assert.lengthOf(yield* migrationState(url), last + 1)
    })
  )
})

describe("many processes that start on a database", () => {
  const starters = 20

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
      const opening = { concurrency: "unbounded" } as const
      for (let round = 0; round < 3; round++) {
        const url = yield* testDatabase
        yield* Effect.forEach(Array.from({ length: 8 }), () => Effect.scoped(openStore(url)), opening)
      }
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
