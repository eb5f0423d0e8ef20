import * as Context from "effect/Context"
import { TransactionSpan } from "../ports/TransactionSpan.ts"

/** Adds to the span of a transaction, if it has one, how many transactions share its commit. `context`: of its body. */
export const describeCommit = (context: Context.Context<never>, size: number): void =>
  Context.getOrUndefined(context, TransactionSpan)?.attribute("petstore.commit.transactions", size)
