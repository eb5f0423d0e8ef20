import * as Context from "effect/Context"

export interface Limits {
  /** Ids of a table that are checked together. */
  readonly ids: number
  /** Facts about rows that wait in memory for their rows. */
  readonly facts: number
}

/** How much of a store is in memory at a time while it is verified; tests choose less. */
export const VerificationLimits: Context.Reference<Limits> = Context.Reference<Limits>(
  "@petstore/core/services/verification/VerificationLimits",
  { defaultValue: () => ({ ids: 32_768, facts: 20_000 }) }
)
