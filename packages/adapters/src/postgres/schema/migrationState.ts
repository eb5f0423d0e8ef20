import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import {
  appliedState,
  type MigrationState,
  migrationStates,
  type SchemaProblem,
  selectApplied
} from "../../sql/MigrationState.ts"
import { borrowed } from "../connection/borrowed.ts"
import { orStorageError } from "../connection/errors.ts"
import { openingError } from "../connection/openingError.ts"
import type { PostgresConnection } from "../connection/PostgresConnection.ts"
import { sourceOf } from "../connection/sourceOf.ts"
import { optionsOf, type PostgresOptions, settingsOf } from "../PostgresOptions.ts"
import { inSchema } from "../statements/dialect.ts"
import { hasMigrations, plannedMigration } from "./migrate.ts"
import { migrations } from "./migrations/index.ts"
import { diagnose } from "./schemaProblems.ts"

const appliedTo = async (connection: PostgresConnection, schema: string): Promise<ReadonlyArray<MigrationState>> => {
  if (!(await hasMigrations(connection, schema))) return []
  const { rows } = await connection.query(inSchema(schema, selectApplied))
  return rows.map(appliedState)
}

/** Uses a connection of its own to the schema of these options. */
export const inSchemaOf = <A>(
  urlOrOptions: string | PostgresOptions,
  use: (connection: PostgresConnection, schema: string) => Promise<A>
): Effect.Effect<A, StorageError> =>
  Effect.gen(function* () {
    const options = optionsOf(urlOrOptions)
    const source = yield* sourceOf(options)
    return yield* borrowed(source).pipe(
      Effect.flatMap((connection) => orStorageError(() => use(connection, settingsOf(options).schema))),
      Effect.scoped,
      Effect.mapError(openingError(source.address))
    )
  })

/** Lists every migration of this release and of the schema, in order, and changes nothing. A schema that does not exist has none. */
export const migrationState = (
  urlOrOptions: string | PostgresOptions
): Effect.Effect<ReadonlyArray<MigrationState>, StorageError> =>
  Effect.map(inSchemaOf(urlOrOptions, appliedTo), (applied) => migrationStates(applied, migrations))

/**
 * Returns the SQL that would bring the schema up to date, and changes nothing; undefined if it is up to date. Another role can
 * run it, for example with `psql -f`.
 */
export const migrationSql = (urlOrOptions: string | PostgresOptions): Effect.Effect<string | undefined, StorageError> =>
  inSchemaOf(urlOrOptions, plannedMigration)

/**
 * Compares the tables, columns, indexes, constraints, triggers and functions of a schema with what this release needs, and
 * returns what differs, with the statements that mend it. Changes nothing; the role needs the right to create temporary tables.
 */
export const schemaProblems = (
  urlOrOptions: string | PostgresOptions
): Effect.Effect<ReadonlyArray<SchemaProblem>, StorageError> => inSchemaOf(urlOrOptions, diagnose)
