import * as Effect from "effect/Effect"
import type { CheckResult, VerificationLimits } from "../../ports/RowChecks.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { VerifiedStore } from "./Run.ts"

/** Checks every rule on the rows of a store; run it in a snapshot. The rules are loaded then: an adapter does not need them. */
export const checkRows = (
  store: VerifiedStore,
  limits: VerificationLimits
): Effect.Effect<ReadonlyArray<CheckResult>, StorageError> =>
  Effect.flatMap(
    Effect.promise(() => import("./verifyStore.ts")),
    ({ verifyStore }) => verifyStore(store, limits)
  )
