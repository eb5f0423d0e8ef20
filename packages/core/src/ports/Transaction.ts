import * as Context from "effect/Context"
import type * as Tracer from "effect/Tracer"

/**
 * The handle of an open transaction, which operations that write or lock require. Only {@link Storage.transact} and
 * {@link Storage.join} provide it. It is valid for the store that made it, until the body ends.
 */
export class Transaction extends Context.Service<
  Transaction,
  {
    /** Identifies the store that opened it: the operations of other stores reject it. */
    readonly store: object
  }
>()("@petstore/core/ports/Transaction") {}

/**
 * A transaction that the host application has open on its own connection to the database of a store. Each storage adapter
 * documents and checks what it accepts: for example a connection, or a transaction of a query builder in an adapter's bridge.
 */
export type HostTransaction = object

/**
 * A function that a store calls when it begins to run the body of a transaction, and again for each time it runs the body
 * again. Until the first call an interruption removes the transaction from the queue. From then on the transaction has an
 * outcome, so a caller that limits how long a command waits should not interrupt it any more.
 */
export const OnTransactionStart: Context.Reference<() => void> = Context.Reference<() => void>(
  "@petstore/core/ports/OnTransactionStart",
  { defaultValue: () => () => {} }
)

/**
 * The span of a transaction, in the context of its body, if its caller is traced. Stores add to it what only they know, such as the
 * number of transactions that share its commit: see {@link describeCommit} of the adapter toolkit.
 */
export class TransactionSpan extends Context.Service<TransactionSpan, Tracer.Span>()(
  "@petstore/core/ports/TransactionSpan"
) {}
