import * as Context from "effect/Context"
import type { VerificationLimits as Limits } from "../ports/RowChecks.ts"

/** How much of a store is in memory at a time while it is verified; tests choose less. */
export const VerificationLimits: Context.Reference<Limits> = Context.Reference<Limits>(
  "@petstore/core/verification/VerificationLimits",
  { defaultValue: () => ({ ids: 8_192, facts: 50_000 }) }
)
