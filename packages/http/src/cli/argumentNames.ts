import { ValidationFailed, type Violation } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { UsageError } from "./errors.ts"

/** The arguments and flags of a command by the field that each fills. */
export type ArgumentNames = Readonly<Record<string, string>>

/** What is wrong with an input, told by what stands on the command line. */
export const usageError = (names: ArgumentNames, violations: ReadonlyArray<Violation>): UsageError => {
  const told = violations.map(({ message, path }) => `${names[path.split("/")[2] ?? ""] ?? path}: ${message}`)
  return new UsageError({ message: [...new Set(told)].join("; ") })
}

/** Tells what is wrong with the input of a call by what stands on the command line. */
export const withArgumentNames =
  (names: ArgumentNames) =>
  <A, E, R>(call: Effect.Effect<A, E, R>) =>
    Effect.mapError(call, (error) =>
      error instanceof ValidationFailed ? usageError(names, error.violations ?? []) : error
    )
