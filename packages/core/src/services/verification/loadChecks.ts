import * as Effect from "effect/Effect"
import type { CheckResult, VerificationLimits } from "../../ports/RowChecks.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { VerifiedStore } from "./Run.ts"

/** What checks a store. */
export type Checks = typeof import("./checks.ts")

let loaded: Checks | undefined

/** The checks, which are a sixth of the modules of the engine: most programs never verify. From the second time on it does not wait. */
export const loadChecks: Effect.Effect<Checks> = Effect.suspend(() =>
  loaded === undefined
    ? Effect.promise(async () => {
        loaded = await import("./checks.ts")
        return loaded
      })
    : Effect.succeed(loaded)
)

/** Checks every rule on the rows of a store; run it in a snapshot. */
export const checkRows = (
  store: VerifiedStore,
  limits: VerificationLimits
): Effect.Effect<ReadonlyArray<CheckResult>, StorageError> =>
  Effect.flatMap(loadChecks, ({ verifyStore }) => verifyStore(store, limits))
