import * as Context from "effect/Context"
import type * as Tracer from "effect/Tracer"

/**
 * The span of a transaction, in the context of its body, if its caller is traced. Stores add to it what only they know, such as the
 * number of transactions that share its commit: see {@link describeCommit} of the adapter toolkit.
 */
export class TransactionSpan extends Context.Service<TransactionSpan, Tracer.Span>()(
  "@petstore/core/ports/TransactionSpan"
) {}
