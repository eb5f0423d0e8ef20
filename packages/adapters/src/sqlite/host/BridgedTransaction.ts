import { afterEnd, type OpenTransactions } from "@petstore/core/adapter-toolkit"
import type { FailureOf, Yielded } from "@petstore/core/engine"
import { OnTransactionStart, type StorageError, Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { BeginIn, OpenTransaction } from "../../sql/OpenTransaction.ts"
import { type AnyRequest, type Program, runProgram } from "../../sql/Program.ts"
import { openRows } from "../statements/sqliteRows.ts"

/** What a transaction asks of its call. */
interface Bridge {
  answer(request: AnyRequest): Effect.Effect<unknown, StorageError>
  part<A, E>(part: Effect.Effect<A, E>): Effect.Effect<A, E | StorageError>
}

/** The transaction of a call in a library, as one body uses it. Statements may take time. */
export class BridgedTransaction implements OpenTransaction {
  private readonly call: Bridge
  private readonly transactions: OpenTransactions<OpenTransaction>
  /** Statements and parts run one after the other: a part that fails drops all writes since its beginning. */
  private readonly mutex = Semaphore.makeUnsafe(1)
  private ended = false

  constructor(call: Bridge, transactions: OpenTransactions<OpenTransaction>) {
    this.call = call
    this.transactions = transactions
  }

  run<A, E>(program: Program<A, E>): Effect.Effect<A, E | StorageError> {
    return this.exclusively(() => runProgram(program, (request) => this.call.answer(request)))
  }

  /** What a command changes is kept when it ends, so one that fails leaves nothing to drop. */
  runCommand<Y extends Yielded, A>(
    context: Context.Context<never>,
    begin: BeginIn<Y, A>
  ): Effect.Effect<A, FailureOf<Y> | StorageError> {
    Context.get(context, OnTransactionStart)()
    return this.run(openRows.run((transaction) => begin(transaction, context)))
  }

  runPart<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    return this.exclusively(() =>
      this.call.part(new BridgedTransaction(this.call, this.transactions).within(context, body))
    )
  }

  /** Runs a body in this transaction, which ends with it: running statements end first, waiting ones are rejected. */
  within<A, E, R>(
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
