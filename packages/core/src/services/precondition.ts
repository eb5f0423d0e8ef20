import * as Result from "effect/Result"
import { PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { ChangeOptions } from "./Options.ts"

/** The preconditions of a change. Only changes over HTTP have the second one. */
export interface Precondition extends Pick<ChangeOptions, "ifVersion"> {
  /** Do not change these versions. */
  readonly unlessVersion?: ReadonlyArray<number> | undefined
}

/** The versions of a precondition, in one form for all that mean the same. */
export const versionsOf = (wanted: Precondition["ifVersion"]): ReadonlyArray<number> | undefined =>
  wanted === undefined ? undefined : [wanted].flat().sort((a, b) => a - b)

/** Fails unless the version is one that the caller accepts; anything else is rejected. */
export const checkVersion = (version: number, options?: Precondition): Result.Result<void, PreconditionFailed> => {
  const wanted = options?.ifVersion
  const met = wanted === undefined || (Array.isArray(wanted) ? wanted.includes(version) : wanted === version)
  return met && options?.unlessVersion?.includes(version) !== true
    ? Result.void
    : Result.fail(new PreconditionFailed({}))
}
