import { InternalError } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import {
  appliedState,
  type MigrationState,
  migrationStates,
  type SchemaProblem,
  selectApplied
} from "../../sql/MigrationState.ts"
import { Connection, nodeSqlite } from "../connection/Connection.ts"
import { filePath } from "../connection/filePath.ts"
import { hasDatabase, openReader } from "../connection/open.ts"
import type { SqliteOptions } from "../SqliteOptions.ts"
import { pending, plannedMigration } from "./migrate.ts"
import { migrations } from "./migrations/index.ts"
import { expectedParts, schemaProblems as problemsOf } from "./schemaProblems.ts"

const read = (file: string, prefix: string | undefined): ReadonlyArray<MigrationState> => {
  const connection = openReader(file, { prefix })
  try {
    const migrated = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'petstore_migrations'").get()
    if (migrated === undefined) return []
    return connection.prepare(selectApplied).all().map(appliedState)
  } finally {
    connection.database.close()
  }
}

/**
 * Lists every migration of this release and of the file, in order, and changes nothing. A file that does not exist or is empty has none.
 * `tablePrefix` is the option of `sqlite`.
 */
export const migrationState = (
  file: string,
  { tablePrefix }: Pick<SqliteOptions, "tablePrefix"> = {}
): Effect.Effect<ReadonlyArray<MigrationState>, InternalError> =>
  Effect.try({
    try: () => {
      const path = filePath(file)
      const applied = hasDatabase(path) ? read(path, tablePrefix) : []
      return migrationStates(applied, migrations)
    },
    catch: (cause) =>
      new InternalError(
        {},
        { message: `Cannot read ${file}: ${cause instanceof Error ? cause.message : cause}`, cause }
      )
  })

/** Uses a connection that only reads, to an empty database if there is none in the file. */
const reading = <A>(
  file: string,
  prefix: string | undefined,
  use: (connection: Connection) => A
): Effect.Effect<A, InternalError> =>
  Effect.try({
    try: () => {
      const { DatabaseSync } = nodeSqlite()
      const path = filePath(file)
      const connection = hasDatabase(path)
        ? openReader(path, { prefix })
        : new Connection(new DatabaseSync(":memory:"), { prefix })
      try {
        return use(connection)
      } finally {
        connection.database.close()
      }
    },
    catch: (cause) =>
      new InternalError(
        {},
        { message: `Cannot read ${file}: ${cause instanceof Error ? cause.message : cause}`, cause }
      )
  })

/**
 * Returns the SQL that would bring the schema of a file up to date, and changes nothing; undefined if it is up to date. The
 * `sqlite3` command can run it. `tablePrefix` is the option of `sqlite`.
 */
export const migrationSql = (
  file: string,
  { tablePrefix }: Pick<SqliteOptions, "tablePrefix"> = {}
): Effect.Effect<string | undefined, InternalError> =>
  reading(file, tablePrefix, (connection) => plannedMigration(connection))

/**
 * Compares the tables, indexes and triggers of a file with what this release needs, and returns what differs, with the
 * statements that mend it. Changes nothing. `tablePrefix` is the option of `sqlite`.
 */
export const schemaProblems = (
  file: string,
  { tablePrefix }: Pick<SqliteOptions, "tablePrefix"> = {}
): Effect.Effect<ReadonlyArray<SchemaProblem>, InternalError> =>
  reading(file, tablePrefix, (connection) => {
    const missing = pending(connection, migrations)
    if (missing.length > 0) {
      const problem = `the schema lacks the migrations ${missing.map(({ id }) => id).join(", ")}: run petstore migrate`
      return [{ problem, statements: [] }]
    }
    return problemsOf(connection, expectedParts(connection.prefix))
  })
