import * as Context from "effect/Context"

/**
 * Milliseconds that a process which has died delays the next one that handles the events of a consumer, unless that one sees that it
 * has ended; tests choose less.
 */
export const ConsumerLease: Context.Reference<number> = Context.Reference<number>(
  "@petstore/core/consumers/ConsumerLease",
  { defaultValue: () => 10_000 }
)
