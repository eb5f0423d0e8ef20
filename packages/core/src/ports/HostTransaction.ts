import * as Context from "effect/Context"
import type * as Tracer from "effect/Tracer"

/**
 * A transaction that the host application has open on its own connection to the database of a store. Each storage adapter
 * documents and checks what it accepts: for example a connection, or a transaction of a query builder in an adapter's bridge.
 */
export type HostTransaction = object

/**
 * A function that a store calls when it begins to run a command, and again for each time it runs it again. Until the first call an interruption removes the transaction from the queue. From then on the transaction has an
 * outcome, so a caller that limits how long a command waits should not interrupt it any more.
 *
 * A store that runs the command later, in the same turn of the event loop as those of other callers, calls what the function returns when the
 * command has run: so the caller learns what it took.
 */
export const OnTransactionStart: Context.Reference<() => (() => void) | undefined> = Context.Reference<
  () => (() => void) | undefined
>("@petstore/core/ports/OnTransactionStart", { defaultValue: () => () => undefined })

/**
 * The span of a transaction, among the services of its command, if its caller is traced. Stores add to it what only they know, such as the
 * number of transactions that share its commit: see {@link describeCommit} of the adapter toolkit.
 */
export class TransactionSpan extends Context.Service<TransactionSpan, Tracer.Span>()(
  "@petstore/core/ports/TransactionSpan"
) {}
