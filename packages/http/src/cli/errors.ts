import { ValidationFailed, type Violation } from "@petstore/core/domain"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** The call was wrong, for example an argument or the name of a file. Exit code 2. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** The subcommand failed. Exit code 1; without a message if the output has shown the reason. */
export class SubcommandFailed extends Data.TaggedError("SubcommandFailed")<{ readonly message?: string }> {}

/** A signal stopped the subcommand. Exit code 128 plus the number of the signal, as in shells. */
export class Stopped extends Data.TaggedError("Stopped")<{
  readonly signal: "SIGINT" | "SIGTERM"
  readonly message?: string
}> {}

/** The database server does not accept connections now, but may soon. Exit code 1. */
export class DatabaseUnreachable extends Data.TaggedError("DatabaseUnreachable")<{ readonly message: string }> {}

/** The arguments and flags of a subcommand, by the field that each sets. */
export type ArgumentNames = Readonly<Record<string, string>>

/** Makes one error of violations, with the names of arguments and flags instead of fields. */
export const usageError = (names: ArgumentNames, violations: ReadonlyArray<Violation>): UsageError => {
  const problems = violations.map(({ message, path }) => `${names[path.split("/")[2] ?? ""] ?? path}: ${message}`)
  return new UsageError({ message: [...new Set(problems)].join("; ") })
}

/** Replaces the fields in a `ValidationFailed` by the names of arguments and flags. */
export const withArgumentNames =
  (names: ArgumentNames) =>
  <A, E, R>(call: Effect.Effect<A, E, R>) =>
    Effect.mapError(call, (error) =>
      error instanceof ValidationFailed ? usageError(names, error.violations ?? []) : error
    )
