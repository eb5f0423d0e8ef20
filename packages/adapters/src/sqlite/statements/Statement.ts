import type { StorageError, Transaction } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OpenTransaction } from "../../sql/OpenTransaction.ts"
import type { Statement } from "../../sql/Statement.ts"
import type { Value } from "../../sql/Value.ts"

/** Runs statements outside of transactions: a connection, or a snapshot. */
export interface StatementRunner {
  execute<A>(statement: Statement<A>, values: ReadonlyArray<Value>): Effect.Effect<A, StorageError>
}

/** An open transaction. */
export interface SqliteTransaction extends OpenTransaction {
  /** Runs a body as a part of the transaction that need not be rolled back alone: see `FailsWithParts`. */
  runIncluded<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError>
}
