import * as Context from "effect/Context"

/** Is called with the share of a store that was verified, from 0 to 1. */
export const VerificationProgress: Context.Reference<(share: number) => void> = Context.Reference<
  (share: number) => void
>("@petstore/core/ports/VerificationProgress", { defaultValue: () => () => {} })
