import { type OpenTransactions, StorageCalls } from "@petstore/core/adapter-toolkit"
import type { EventToAppend, StorageError, Transaction } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Parameter } from "../connection/PostgresConnection.ts"
import type { PostgresTransaction, Statement } from "../statements/Statement.ts"

/** An open transaction, as all of its bodies share it. Its operations run one after another. */
export interface SharedTransaction {
  execute<A>(statement: Statement<A>, values: ReadonlyArray<Parameter>): Promise<Exit.Exit<A, StorageError>>
  /** See {@link PostgresTransaction.claim}. */
  claim(name: string): Promise<Exit.Exit<boolean, StorageError>>
  append(event: EventToAppend): void
  /** Runs a part that can fail alone: what it did is kept if it succeeds, and rolled back otherwise. */
  part<A, E>(body: () => Promise<Exit.Exit<A, E>>): Promise<Exit.Exit<A, E | StorageError>>
}

/** A transaction as one of its bodies sees it. Its operations run one after another, also those of nested parts. */
export class BodyTransaction implements PostgresTransaction {
  private readonly transaction: SharedTransaction
  private readonly transactions: OpenTransactions<PostgresTransaction>
  private readonly calls = new StorageCalls()
  private tail: Promise<unknown> | undefined

  constructor(transaction: SharedTransaction, transactions: OpenTransactions<PostgresTransaction>) {
    this.transaction = transaction
    this.transactions = transactions
  }

  /** Runs the body that sees it. */
  start<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Promise<Exit.Exit<A, E>> {
    return Effect.runPromise(Effect.exit(this.transactions.runBodyAsync(this, context, body, this.calls)))
  }

  execute<A>(statement: Statement<A>, values: ReadonlyArray<Parameter>): Effect.Effect<A, StorageError> {
    return this.inTurn(() => this.transaction.execute(statement, values))
  }

  claim(name: string): Effect.Effect<boolean, StorageError> {
    return this.inTurn(() => this.transaction.claim(name))
  }

  append(event: EventToAppend): Effect.Effect<void> {
    return Effect.sync(() => this.transaction.append(event))
  }

  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    return this.inTurn(() =>
      this.transaction.part(() => new BodyTransaction(this.transaction, this.transactions).start(context, body))
    )
  }

  private inTurn<A, E>(work: () => Promise<Exit.Exit<A, E>>): Effect.Effect<A, E> {
    return this.calls.call((settle) => {
      // The first statement is sent within this turn of the event loop, before the caller can send one of its own.
      const begun = this.tail === undefined ? work() : this.tail.then(work)
      const end = (exit: Exit.Exit<A, E>): void => {
        if (this.tail === last) this.tail = undefined
        settle(exit)
      }
      const last: Promise<unknown> = begun.then(end, (defect) => end(Exit.die(defect)))
      this.tail = last
    })
  }
}
