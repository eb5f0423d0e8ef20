import * as Context from "effect/Context"

/**
 * Called by a store when it begins to run the body of a transaction (once more if it runs it again). Until then an
 * interruption takes the transaction out of the queue; from then on the outcome of the transaction is what counts, so
 * whoever limits how long a command waits should not interrupt it any more.
 */
export const OnTransactionStart: Context.Reference<() => void> = Context.Reference<() => void>(
  "@petstore/core/ports/OnTransactionStart",
  { defaultValue: () => () => {} }
)
