import type { ListIndex } from "@petstore/core/domain"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { durabilityOf, migrated, migrationSqlOf, migrationStateOf, schemaRepairOf } from "../database.ts"
import { SubcommandFailed, UsageError } from "../errors.ts"
import type { Database } from "../settings.ts"
import { table } from "../terminal/table.ts"

interface MigrateInput {
  readonly database: Database
  readonly create: boolean
  readonly dryRun: boolean
  /** Those that the database has from now on. */
  readonly indexes: Option.Option<ReadonlyArray<ListIndex>>
}

/** Migrates the schema, and lists its migrations; or prints the SQL that would do it, and changes nothing. */
export const migrate = ({ create, database, dryRun, indexes }: MigrateInput) =>
  Effect.gen(function* () {
    if (dryRun) {
      if (Option.isSome(indexes)) return yield* new UsageError({ message: "--dry-run does not show --indexes" })
      return yield* Console.log((yield* migrationSqlOf(database)) ?? "-- The schema is up to date.")
    }
    yield* migrated(database, create, Option.getOrUndefined(indexes))
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
  readonly cluster: boolean
}

/** Prints what decides whether acknowledged orders survive, and the conclusion. Fails if they do not, or if something is wrong. */
const checkCluster = (database: Database) =>
  Effect.gen(function* () {
    const { conclusion, findings, survives } = yield* durabilityOf(database)
    for (const { problem, subject, value } of findings) {
      yield* Console.log(
        `${problem === undefined ? "ok     " : "PROBLEM"} ${subject}: ${value}${problem === undefined ? "" : `; ${problem}.`}`
      )
    }
    yield* Console.log(`Does an acknowledged order survive the loss of a machine? ${conclusion}`)
    if (survives !== "yes" || findings.some(({ problem }) => problem !== undefined)) {
      return yield* new SubcommandFailed({})
    }
  })

/** Prints what differs from the expected schema as SQL: each problem as a comment, and the statements that mend it. Fails if there is one. */
const checkSchema = (database: Database) =>
  Effect.gen(function* () {
    const repair = yield* schemaRepairOf(database)
    if (repair === undefined) return yield* Console.log("-- The schema is as it should be.")
    yield* Console.log(repair)
    return yield* new SubcommandFailed({})
  })

/** Checks the schema, or what the cluster promises. */
export const doctor = ({ cluster, database }: DoctorInput) => (cluster ? checkCluster(database) : checkSchema(database))
