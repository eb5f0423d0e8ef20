import { afterEnd, type OpenTransactions } from "@petstore/core/adapter-toolkit"
import { type StorageError, Transaction } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { DeferredWrites, SqliteTransaction, Statement } from "../statements/Statement.ts"

/** A call whose writes can be dropped in part. */
export interface DivisibleWrites extends DeferredWrites {
  /** Runs a part of the call: its writes are dropped unless it succeeds. */
  part<A, E>(part: Effect.Effect<A, E>): Effect.Effect<A, E | StorageError>
}

/** The transaction of a call in a library, as one body uses it. Statements may take time. */
export class BridgedTransaction implements SqliteTransaction {
  private readonly call: DivisibleWrites
  private readonly transactions: OpenTransactions<SqliteTransaction>
  /** Statements and parts run one after the other: a part that fails drops all writes since its beginning. */
  private readonly mutex = Semaphore.makeUnsafe(1)
  private ended = false

  constructor(call: DivisibleWrites, transactions: OpenTransactions<SqliteTransaction>) {
    this.call = call
    this.transactions = transactions
  }

  execute<A>({ defer }: Statement<A>, values: ReadonlyArray<SqlValue>): Effect.Effect<A, StorageError> {
    return this.exclusively(() => defer(this.call, values))
  }

  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    return this.exclusively(() =>
      this.call.part(new BridgedTransaction(this.call, this.transactions).runBody(context, body))
    )
  }

  /** Parts of these calls need no savepoints: dropping their writes is free. */
  runIncluded<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    return this.run(context, body)
  }

  /** Runs a body in this transaction, which ends with it: running statements end first, waiting ones are rejected. */
  runBody<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const handle = this.transactions.begin(this)
      return Effect.ensuring(
        Effect.provideContext(Effect.provideService(body, Transaction, handle), context),
        this.mutex.withPermits(1)(
          Effect.sync(() => {
            this.ended = true
            this.transactions.end(handle)
          })
        )
      )
    })
  }

  private exclusively<A, E>(work: () => Effect.Effect<A, E>): Effect.Effect<A, E | StorageError> {
    return this.mutex.withPermits(1)(
      Effect.suspend((): Effect.Effect<A, E | StorageError> => (this.ended ? Exit.die(afterEnd()) : work()))
    )
  }
}
