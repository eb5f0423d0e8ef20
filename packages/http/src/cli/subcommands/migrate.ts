import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { migrated, migrationSqlOf, migrationStateOf } from "../database.ts"
import type { Database } from "../settings.ts"
import { table } from "../terminal/table.ts"

export interface MigrateInput {
  readonly database: Database
  readonly create: boolean
  readonly dryRun: boolean
}

/** Migrates the schema, and lists its migrations; or prints the SQL that would do it, and changes nothing. */
export const run = ({ create, database, dryRun }: MigrateInput) =>
  Effect.gen(function* () {
    if (dryRun) {
      return yield* Console.log((yield* migrationSqlOf(database)) ?? "-- The schema is up to date.")
    }
    yield* migrated(database, create)
    const steps = yield* migrationStateOf(database)
    yield* Console.log(
      table([
        ["migration", "name", "applied"],
        ...steps.map(({ appliedAt, id, name }) => [String(id), name, appliedAt ?? "-"])
      ])
    )
  })
