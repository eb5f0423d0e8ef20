import { ValidationFailed, type Violation } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { UsageError } from "./errors.ts"

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
