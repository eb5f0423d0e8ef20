import * as Result from "effect/Result"
import { PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { ChangeOptions } from "./Options.ts"

/** The preconditions of a change. Only changes over HTTP have the second one. */
interface Precondition extends ChangeOptions {
  /** Do not change these versions. */
  readonly unlessVersion?: ReadonlyArray<number> | undefined
}

/** Fails unless the version is one that the caller accepts; anything else is rejected. */
export const checkVersion = (version: number, options?: Precondition): Result.Result<void, PreconditionFailed> => {
  const wanted = options?.ifVersion
  const met = wanted === undefined || (Array.isArray(wanted) ? wanted.includes(version) : wanted === version)
  return met && options?.unlessVersion?.includes(version) !== true
    ? Result.void
    : Result.fail(new PreconditionFailed({}))
}
