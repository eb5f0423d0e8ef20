import * as Context from "effect/Context"

/**
 * A function that a store calls when it begins to run the body of a transaction, and again for each time it runs the body
 * again. Until the first call an interruption removes the transaction from the queue. From then on the transaction has an
 * outcome, so a caller that limits how long a command waits should not interrupt it any more.
 */
export const OnTransactionStart: Context.Reference<() => void> = Context.Reference<() => void>(
  "@petstore/core/ports/OnTransactionStart",
  { defaultValue: () => () => {} }
)
