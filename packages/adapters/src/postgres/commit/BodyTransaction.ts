import { StorageCalls } from "@petstore/core/adapter-toolkit"
import type { FailureOf, Yielded } from "@petstore/core/engine"
import { OnTransactionStart, type StorageError, type Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { BeginIn } from "../../sql/OpenTransaction.ts"
import { type Program, runAsync } from "../../sql/Program.ts"
import type { Parameter } from "../connection/PostgresConnection.ts"
import type { PostgresSql } from "../statements/PostgresSql.ts"
import type { PostgresTransaction, SharedTransaction, Statement } from "../statements/Statement.ts"

/** Runs a command in a transaction. What it changes is written when it ends, so one that fails leaves nothing to roll back. */
export const runCommand = async <Y extends Yielded, A>(
  transaction: SharedTransaction,
  sql: PostgresSql,
  context: Context.Context<never>,
  begin: BeginIn<Y, A>
): Promise<Exit.Exit<A, FailureOf<Y> | StorageError>> => {
  try {
    Context.get(context, OnTransactionStart)()
    const program = sql.openRows.run((rows) => begin(rows, context))
    return await runAsync(program, sql.within(transaction))
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** A transaction as one of its bodies sees it. Its operations run one after another, also those of nested parts. */
export class BodyTransaction implements PostgresTransaction {
  private readonly transaction: SharedTransaction
  private readonly sql: PostgresSql
  private readonly calls = new StorageCalls()
  private tail: Promise<unknown> | undefined

  constructor(transaction: SharedTransaction, sql: PostgresSql) {
    this.transaction = transaction
    this.sql = sql
  }

  /** Runs the body that sees it. */
  start<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Promise<Exit.Exit<A, E>> {
    return Effect.runPromise(Effect.exit(this.sql.transactions.runBodyAsync(this, context, body, this.calls)))
  }

  execute<A>(statement: Statement<A>, values: ReadonlyArray<Parameter>): Effect.Effect<A, StorageError> {
    return this.inTurn(() => this.transaction.execute(statement, values))
  }

  run<A, E>(program: Program<A, E>): Effect.Effect<A, E | StorageError> {
    return this.inTurn(() => runAsync(program, this.sql.within(this.transaction)))
  }

  runCommand<Y extends Yielded, A>(
    context: Context.Context<never>,
    begin: BeginIn<Y, A>
  ): Effect.Effect<A, FailureOf<Y> | StorageError> {
    return this.inTurn(() => runCommand(this.transaction, this.sql, context, begin))
  }

  runPart<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    return this.inTurn(() =>
      this.transaction.part(() => new BodyTransaction(this.transaction, this.sql).start(context, body))
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
