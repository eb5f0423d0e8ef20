import { existsSync } from "node:fs"
import { InternalError } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { openReader } from "../connection/open.ts"
import type { SqliteOptions } from "../SqliteOptions.ts"
import { migrations } from "./migrations/index.ts"

/** The state of one migration. */
export interface MigrationState {
  readonly id: number
  readonly name: string
  /** When it was applied to the file; undefined if it was not. */
  readonly appliedAt: string | undefined
}

const read = (file: string, prefix: string | undefined): ReadonlyArray<MigrationState> => {
  const connection = openReader(file, { prefix })
  try {
    const migrated = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'petstore_migrations'").get()
    if (migrated === undefined) return []
    return connection
      .prepare("SELECT id, name, applied_at FROM petstore_migrations ORDER BY id")
      .all()
      .map((row) => ({ id: Number(row.id), name: String(row.name), appliedAt: String(row.applied_at) }))
  } finally {
    connection.database.close()
  }
}

/**
 * Lists every migration of this release and of the file, in order, and changes nothing. A file that does not exist has none.
 * `tablePrefix` is the option of `sqlite`.
 */
export const migrationState = (
  file: string,
  { tablePrefix }: Pick<SqliteOptions, "tablePrefix"> = {}
): Effect.Effect<ReadonlyArray<MigrationState>, InternalError> =>
  Effect.try({
    try: () => {
      const applied = existsSync(file) ? read(file, tablePrefix) : []
      const pending = migrations.filter(({ id }) => applied.every((step) => step.id !== id))
      return [...applied, ...pending.map(({ id, name }) => ({ id, name, appliedAt: undefined }))]
    },
    catch: (cause) =>
      new InternalError(
        {},
        { message: `Cannot read ${file}: ${cause instanceof Error ? cause.message : cause}`, cause }
      )
  })
