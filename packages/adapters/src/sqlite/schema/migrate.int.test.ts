import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { openSqlite } from "../../../test/support/openSqlite.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { Connection } from "../connection/Connection.ts"
import { migrate, requireMigrated } from "./migrate.ts"
import type { Migration } from "./migrations/index.ts"

const step = (id: number, sql: string): Migration => ({ id, name: `step ${id}`, sql, checksum: sql })

const steps = [
  step(1, "CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1)"),
  step(2, "CREATE TABLE b (id INTEGER PRIMARY KEY); INSERT INTO b SELECT id + 1 FROM a")
]

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

const tables = (connection: Connection) => rows(connection, "SELECT name FROM sqlite_schema ORDER BY name")

const number = (connection: Connection, pragma: string) => rows(connection, `PRAGMA ${pragma}`)[0]

describe("migrating", () => {
  it.effect("applies every step once, in order, and records it", () =>
    Effect.gen(function* () {
      const connection = yield* open
      migrate(connection, steps.slice(0, 1))
      migrate(connection, steps)
      migrate(connection, steps)
      assert.deepStrictEqual(tables(connection), ["a", "b", "petstore_migrations"])
      assert.deepStrictEqual(rows(connection, "SELECT id FROM b"), [2])
      assert.deepStrictEqual(rows(connection, "SELECT name FROM petstore_migrations ORDER BY id"), ["step 1", "step 2"])
      requireMigrated(connection, steps)
    })
  )

  it.effect("refuses a file that records a step but not one before it, and says which is missing", () =>
    Effect.gen(function* () {
      const connection = yield* open
      migrate(connection, steps)
      connection.database.exec("DELETE FROM petstore_migrations WHERE id = 1")
      for (const use of [migrate, requireMigrated]) {
        assert.throws(() => use(connection, steps), /Migration 1 \(step 1\) is not recorded/)
      }
    })
  )

  it.effect("that fails half-way changes nothing, and succeeds when repeated", () =>
    Effect.gen(function* () {
      const connection = yield* open
      const broken = [...steps, step(3, "CREATE TABLE c (id INTEGER); INSERT INTO nowhere VALUES (1)")]
      assert.throws(() => migrate(connection, broken), /nowhere/)
      assert.deepStrictEqual(tables(connection), [])
      assert.isFalse(connection.inTransaction)
      migrate(connection, steps)
      requireMigrated(connection, steps)
    })
  )

  it.effect("sets the application_id and the schema version of a new file", () =>
    Effect.gen(function* () {
      const connection = yield* open
      migrate(connection, steps.slice(0, 1))
      assert.deepStrictEqual(
        [number(connection, "application_id"), number(connection, "user_version")],
        [0x50455453, 1]
      )
      migrate(connection, steps)
      assert.deepStrictEqual(
        [number(connection, "application_id"), number(connection, "user_version")],
        [0x50455453, 2]
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
      database.exec(`INSERT INTO petstore_categories (id, name, name_key, version, deleted) VALUES (1, 'Dogs', 'dogs', 1, 0);
        INSERT INTO petstore_pets
          (id, name, category_id, status, version, on_hand, reserved, held, stock_version, last_movement, deleted)
          VALUES (1, 'Rex', 1, 'available', 1, 1, 0, 0, 1, 1, 0);
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
