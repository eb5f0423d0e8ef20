import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { migrated, migrationSqlOf, migrationStateOf, schemaProblemsOf } from "../database.ts"
import { SubcommandFailed } from "../errors.ts"
import type { Database } from "../settings.ts"
import { table } from "../terminal/table.ts"

interface MigrateInput {
  readonly database: Database
  readonly create: boolean
  readonly dryRun: boolean
}

/** Migrates the schema, and lists its migrations; or prints the SQL that would do it, and changes nothing. */
export const migrate = ({ create, database, dryRun }: MigrateInput) =>
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

interface DoctorInput {
  readonly database: Database
}

/** Prints what differs from the expected schema as SQL: each problem as a comment, and the statements that mend it. Fails if there is one. */
export const doctor = ({ database }: DoctorInput) =>
  Effect.gen(function* () {
    const problems = yield* schemaProblemsOf(database)
    if (problems.length === 0) return yield* Console.log("-- The schema is as it should be.")
    yield* Console.log(problems.flatMap(({ problem, statements }) => [`-- ${problem}`, ...statements]).join("\n"))
    return yield* new SubcommandFailed({})
  })
