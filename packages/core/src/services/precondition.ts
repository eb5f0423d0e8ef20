import { Effect } from "effect"
import { PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { ChangeOptions } from "./Options.ts"

/** Fails unless the version is one that the caller accepts; anything that is no version is none of them. */
export const checkVersion = (version: number, options?: ChangeOptions): Effect.Effect<void, PreconditionFailed> => {
  const wanted = options?.ifVersion
  const met = wanted === undefined || (Array.isArray(wanted) ? wanted.includes(version) : wanted === version)
  return met ? Effect.void : Effect.fail(new PreconditionFailed({}))
}
