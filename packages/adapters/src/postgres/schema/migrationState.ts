import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { attempt, sourceOf } from "../connection/ConnectionSource.ts"
import type { PostgresConnection } from "../connection/PostgresConnection.ts"
import { defaultSchema, optionsOf, type PostgresOptions } from "../PostgresOptions.ts"
import { inSchema } from "../statements/dialect.ts"
import { hasMigrations } from "./migrate.ts"
import { migrations } from "./migrations/index.ts"

/** The state of one migration. */
export interface MigrationState {
  readonly id: number
  readonly name: string
  /** When it was applied to the schema; undefined if it was not. */
  readonly appliedAt: string | undefined
}

const select = "SELECT id, name, applied_at FROM petstore_migrations ORDER BY id"

const appliedTo = async (connection: PostgresConnection, schema: string): Promise<ReadonlyArray<MigrationState>> => {
  if (!(await hasMigrations(connection, schema))) return []
  const { rows } = await connection.query(inSchema(schema, select))
  return rows.map((row) => ({ id: Number(row.id), name: String(row.name), appliedAt: String(row.applied_at) }))
}

/** Lists every migration of this release and of the schema, in order, and changes nothing. A schema that does not exist has none. */
export const migrationState = (
  urlOrOptions: string | PostgresOptions
): Effect.Effect<ReadonlyArray<MigrationState>, StorageError> =>
  Effect.gen(function* () {
    const options = optionsOf(urlOrOptions)
    const source = yield* sourceOf(options)
    const applied = yield* Effect.acquireUseRelease(
      attempt(source.connect),
      (connection) => attempt(() => appliedTo(connection, options.schema ?? defaultSchema)),
      (connection) => Effect.promise(() => source.disconnect(connection))
    )
    const pending = migrations.filter(({ id }) => applied.every((step) => step.id !== id))
    return [...applied, ...pending.map(({ id, name }) => ({ id, name, appliedAt: undefined }))]
  })
