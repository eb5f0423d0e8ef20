import { Effect } from "effect"
import { PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { ChangeOptions } from "./Options.ts"

/** Fails unless the version is one that the caller accepts. */
export const checkVersion = (version: number, options: ChangeOptions = {}): Effect.Effect<void, PreconditionFailed> => {
  const { ifVersion } = options
  const met =
    ifVersion === undefined || (typeof ifVersion === "number" ? ifVersion === version : ifVersion.includes(version))
  return met ? Effect.void : Effect.fail(new PreconditionFailed({}))
}
