import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import type { PostgresConnection } from "../../src/postgres/connection/PostgresConnection.ts"
import { sourceOf } from "../../src/postgres/connection/sourceOf.ts"
import * as postgres from "../../src/postgres/schema/migrate.ts"
import * as ofPostgres from "../../src/postgres/schema/migrations/index.ts"
import { retryByTimer, retryWhileBusy } from "../../src/sqlite/connection/busyRetry.ts"
import { Connection } from "../../src/sqlite/connection/Connection.ts"
import { configure } from "../../src/sqlite/connection/configure.ts"
import { openingError } from "../../src/sqlite/connection/open.ts"
import * as sqlite from "../../src/sqlite/schema/migrate.ts"
import * as ofSqlite from "../../src/sqlite/schema/migrations/index.ts"

/** The number of the step that only the next release knows. */
export const nextId = { sqlite: ofSqlite.migrations.length + 1, postgres: ofPostgres.migrations.length + 1 }

/** A step of the next release, which gives pets a nickname: their name. */
const nicknames = (type: string): string =>
  `ALTER TABLE petstore_pets ADD COLUMN nickname ${type}; UPDATE petstore_pets SET nickname = name`

/** The steps that the next release knows. */
export const nextOfSqlite = (sql = nicknames("TEXT")): ReadonlyArray<ofSqlite.Migration> => [
  ...ofSqlite.migrations,
  { id: nextId.sqlite, name: "nicknames", sql, checksum: `of ${sql}` }
]

/** The same, which releases that know the steps up to `compatibleWith` can work with. */
export const nextOfPostgres = (
  sql = nicknames("text"),
  compatibleWith = ofPostgres.migrations.length
): ReadonlyArray<ofPostgres.Migration> => [
  ...ofPostgres.migrations,
  { id: nextId.postgres, name: "nicknames", sql, checksum: `of ${sql}`, compatibleWith }
]

/** Uses a connection to a file, as opening it does. */
export const onFile = <A>(file: string, use: (connection: Connection) => A) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Connection(new DatabaseSync(file))),
    (connection) =>
      retryWhileBusy(
        10_000,
        (cause) => openingError(file, cause),
        retryByTimer,
        () => {
          configure(connection.database)
          return use(connection)
        }
      ),
    ({ database }) => Effect.sync(() => database.close())
  )

/** Migrates a file as a release does that knows these steps. */
export const migrateFile = (file: string, steps = nextOfSqlite()) =>
  onFile(file, (connection) => sqlite.migrate(connection, steps))

/** Uses a connection to a database. */
export const onDatabase = <A>(url: string, use: (connection: PostgresConnection) => Promise<A>) =>
  Effect.gen(function* () {
    const source = yield* sourceOf({ url })
    return yield* Effect.acquireUseRelease(
      Effect.promise(() => source.connect()),
      (connection) => Effect.tryPromise(() => use(connection)),
      (connection) => Effect.promise(() => source.disconnect(connection))
    )
  })

/** Migrates the schema `petstore` as a release does that knows these steps. */
export const migrateDatabase = (url: string, steps = nextOfPostgres()) =>
  onDatabase(url, (connection) => postgres.migrate(connection, "petstore", steps))
