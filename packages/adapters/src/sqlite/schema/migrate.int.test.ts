import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore } from "@petstore/core"
import { StorageUnavailable } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { vi } from "vitest"
import { expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { migrationCases } from "../../../test/support/migrationCases.ts"
import { migrateFile, nextId, nextOfSqlite, onFile } from "../../../test/support/nextVersion.ts"
import { openSqlite } from "../../../test/support/openSqlite.ts"
import { startProgram } from "../../../test/support/program.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { Connection } from "../connection/Connection.ts"
import { sqlite } from "../sqlite.ts"
import { migrate, plannedMigration, requireMigrated } from "./migrate.ts"
import { migrationState, schemaProblems } from "./migrationState.ts"
import { migrations } from "./migrations/index.ts"

expectLogs("Nothing can be written to")

const connect = (file: string): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new Connection(new DatabaseSync(file))),
    ({ database }) => Effect.sync(() => database.close())
  )

const open = Effect.flatMap(temporaryFile, connect)

const rows = ({ database }: Connection, sql: string) =>
  database
    .prepare(sql)
    .all()
    .map((row) => Object.values(row)[0])

const number = (connection: Connection, pragma: string) => rows(connection, `PRAGMA ${pragma}`)[0]

const run = (file: string, sql: string) =>
  Effect.scoped(Effect.map(connect(file), ({ database }) => database.exec(sql)))

const last = nextId.sqlite - 1

const opened = <A>(file: string, use: (petstore: Petstore) => Promise<A>) =>
  Effect.promise(async () => {
    await using petstore = await createPetstore({ storage: sqlite(file) })
    return await use(petstore)
  })

/** A file of this release, with the pet Rex. */
const shop = Effect.gen(function* () {
  const file = yield* temporaryFile
  yield* opened(file, async (petstore) => {
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    await petstore.pets.create({ name: "Rex", categoryId })
  })
  return file
})

const nicknames = (file: string) =>
  onFile(file, (connection) => rows(connection, "SELECT nickname FROM petstore_pets ORDER BY id"))

/** The steps that a file records, and those that it lacks. */
const recorded = (file: string) =>
  Effect.map(migrationState(file), (states) => states.map(({ appliedAt, id }) => [id, appliedAt !== undefined]))

const known = migrations.map(({ id }) => [id, true])

describe("given a file of this release", () => {
  const next = (ending?: string) => {
    const [{ sql } = { sql: "" }] = nextOfSqlite().slice(-1)
    return ending === undefined ? nextOfSqlite() : nextOfSqlite(`${sql}; ${ending}`)
  }
  migrationCases({
    nextId: nextId.sqlite,
    migrationsTable: "petstore_migrations",
    shop,
    migrationState,
    schemaProblems,
    migrateToNext: (file, ending) => migrateFile(file, next(ending)),
    requireNext: (file) => onFile(file, (connection) => requireMigrated(connection, next())),
    plannedForNext: (file) => onFile(file, (connection) => plannedMigration(connection, next())),
    run,
    nicknames
  })

  it.effect("when the process that migrates it is killed, then it is as before, and can be migrated again", () =>
    Effect.gen(function* () {
      const file = yield* shop
      const program = yield* startProgram("migrate-to-next", file, "halt")
      assert.strictEqual(yield* program.line, "ready")
      yield* program.send("go")
      assert.strictEqual(yield* program.line, "halted")
      program.process.kill("SIGKILL")
      yield* program.exit
      assert.deepStrictEqual(yield* recorded(file), known)
      assert.isTrue((yield* opened(file, (petstore) => petstore.verify())).ok)
      yield* migrateFile(file)
      assert.deepStrictEqual(yield* nicknames(file), ["Rex"])
    })
  )
})

describe("given two connections to a file", () => {
  it.effect("when one migrates it before the other has the lock, then the other finds it done", () =>
    Effect.gen(function* () {
      const file = yield* shop
      yield* onFile(file, (other) => {
        const begin = other.run.bind(other)
        vi.spyOn(other, "run").mockImplementationOnce((sql) => {
          Effect.runSync(Effect.scoped(Effect.map(connect(file), (first) => migrate(first, nextOfSqlite()))))
          begin(sql)
        })
        migrate(other, nextOfSqlite())
      })
      assert.deepStrictEqual(yield* nicknames(file), ["Rex"])
    })
  )
})

describe("given a file that the next release has migrated", () => {
  const upgraded = Effect.tap(shop, (file) => migrateFile(file))

  it.effect("when this release opens or examines it, then it refuses, and changes nothing", () =>
    Effect.gen(function* () {
      const file = yield* upgraded
      const message = `migration ${nextId.sqlite} (nicknames) was applied by a newer release; this one knows up to ${last}. Update @petstore/adapters.`
      for (const refused of [
        Effect.asVoid(Effect.scoped(openSqlite(file))),
        Effect.asVoid(Effect.scoped(openSqlite({ file, migrate: false }))),
        Effect.asVoid(schemaProblems(file))
      ]) {
        assert.include((yield* Effect.flip(refused)).message, message)
      }
      assert.deepStrictEqual(yield* nicknames(file), ["Rex"])
    })
  )

  it.effect("when this release has it open, then it rejects writes and serves reads", () =>
    Effect.gen(function* () {
      const file = yield* shop
      yield* opened(file, async (petstore) => {
        const [pet] = (await petstore.pets.list()).items
        await Effect.runPromise(migrateFile(file))
        for (const write of [
          () => petstore.categories.create({ name: "Cats" }),
          () => petstore.transaction((tx) => tx.categories.create({ name: "Cats" })),
          () => petstore.messages.enqueue("Feed the fish")
        ]) {
          const error: unknown = await write().catch((cause: unknown) => cause)
          assert.instanceOf(error, StorageUnavailable)
          assert.include(error.message, "(nicknames) was applied by a newer release")
        }
        assert.isDefined(pet)
      })
    })
  )
})

describe("migrating", () => {
  it.effect("to the next release sets the schema version of a file", () =>
    Effect.gen(function* () {
      const file = yield* shop
      yield* migrateFile(file)
      assert.strictEqual(yield* onFile(file, (connection) => number(connection, "user_version")), nextId.sqlite)
    })
  )

  it.effect("sets the application_id and the schema version of a new file", () =>
    Effect.gen(function* () {
      const connection = yield* open
      migrate(connection)
      assert.deepStrictEqual(
        [number(connection, "application_id"), number(connection, "user_version")],
        [0x50455453, last]
      )
    })
  )

  it.effect("does not change the application_id and tables of a host application", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const host = yield* connect(file)
      host.database.exec("CREATE TABLE orders (id INTEGER); PRAGMA user_version = 42; PRAGMA application_id = 7")
      yield* Effect.scoped(openSqlite(file))
      assert.deepStrictEqual([number(host, "application_id"), number(host, "user_version")], [7, 42])
      assert.deepStrictEqual(
        rows(host, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'petstore_%'"),
        ["orders"]
      )
    })
  )

  it.effect("keeps the stock ledger and the event log append-only for every connection", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.scoped(openSqlite(file))
      const { database } = yield* connect(file)
      database.exec(`INSERT INTO petstore_categories (id, name, name_key, version, created_at, updated_at, deleted)
          VALUES (1, 'Dogs', 'dogs', 1, 'now', 'now', 0);
        INSERT INTO petstore_pets
          (id, name, category_id, status, version, on_hand, reserved, held, stock_version, last_movement, created_at,
            updated_at, deleted)
          VALUES (1, 'Rex', 1, 'available', 1, 1, 0, 0, 1, 1, 'now', 'now', 0);
        INSERT INTO petstore_movements (pet_id, seq, kind, delta_on_hand, delta_reserved, actor, at)
          VALUES (1, 1, 'initial', 1, 0, 'owner', 'now');
        INSERT INTO petstore_events (seq, id, type, subject, timestamp, data) VALUES (1, 'evt_1', 'pet.created', 'pets/1', 'now', '{}')`)
      for (const table of ["petstore_movements", "petstore_events"]) {
        assert.throws(() => database.exec(`UPDATE ${table} SET seq = 2`), /append-only/)
        assert.throws(() => database.exec(`DELETE FROM ${table}`), /append-only/)
      }
    })
  )
})
