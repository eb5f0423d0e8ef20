import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"
import { type FailureOf, runNow, type Yielded } from "../engine/Command.ts"
import { Transaction as CommandTransaction, type Source, type Write } from "../engine/Transaction.ts"
import type { RunCommand, Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { OnTransactionStart, type Transaction } from "../ports/Transaction.ts"
import { OpenTransactions } from "./OpenTransactions.ts"
import { runBody } from "./runBody.ts"
import type { SynchronousDatabase } from "./SynchronousDatabase.ts"
import { SynchronousTransaction } from "./SynchronousTransaction.ts"
import { describeCommit, TransactionCounts } from "./TransactionCounts.ts"

/** How the rows of a store make their calls. An operation that throws fails its transaction. */
export interface RowCalls {
  /** Reads, inside a transaction or outside. */
  read<A>(operation: () => A): Effect.Effect<A, StorageError>
  /** Reads a row which nobody else can change until the transaction ends: there is one writer at a time. */
  lock<A>(operation: () => A): Effect.Effect<A, StorageError, Transaction>
  write<A>(operation: () => A): Effect.Effect<A, StorageError, Transaction>
  /** Writes, or returns a failed exit to reject the call; the transaction can then continue. */
  attempt<A, E>(operation: () => Exit.Exit<A, E>): Effect.Effect<A, E | StorageError, Transaction>
}

/**
 * The connection of one store to a {@link SynchronousDatabase}: runs the operations of the store where they belong, in
 * the transaction of their fiber or on committed state. An operation that throws within a transaction fails all of it,
 * with the error that `errorOf` of the database returns.
 */
export class SynchronousConnection implements RowCalls {
  readonly database: SynchronousDatabase
  private readonly transactions = new OpenTransactions<SynchronousTransaction>()
  private readonly counts = new TransactionCounts()
  private readonly working = new Set<Promise<unknown>>()
  private closed = false

  constructor(database: SynchronousDatabase) {
    this.database = database
  }

  /** Connects a store to a database until the scope closes. The database stays open. */
  static readonly open = (database: SynchronousDatabase): Effect.Effect<SynchronousConnection, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => new SynchronousConnection(database)),
      ({ close }) => close
    )

  /**
   * Fails all calls from now on with {@link ShuttingDown}, including those that are waiting. Waits for `work` that has
   * begun.
   */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.closed = true
    return this.working.size === 0 ? Effect.void : Effect.promise(() => Promise.allSettled(this.working))
  })

  /**
   * Runs asynchronous work outside of transactions, such as a backup. An interruption waits for it to end, and so does
   * {@link SynchronousConnection.close}, so that the database is not closed meanwhile.
   */
  work<A>(begin: () => Promise<A>): Effect.Effect<A, StorageError> {
    return Effect.suspend(() => {
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      const track = () => {
        const work = begin()
        this.working.add(work)
        return work.finally(() => this.working.delete(work))
      }
      return Effect.uninterruptible(Effect.tryPromise({ try: track, catch: (thrown) => this.database.errorOf(thrown) }))
    })
  }

  read<A>(operation: () => A): Effect.Effect<A, StorageError> {
    return Effect.withFiber((fiber): Effect.Effect<A, StorageError> => {
      const transaction = this.transactions.find(fiber.context)
      if (transaction !== undefined) return transaction.read(operation)
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.database.activity === "writing") return Effect.andThen(laterTurn, this.read(operation))
      try {
        if (this.database.activity === "none") this.database.refresh()
        return Exit.succeed(operation())
      } catch (thrown) {
        return Exit.fail(this.database.errorOf(thrown))
      }
    })
  }

  lock<A>(operation: () => A): Effect.Effect<A, StorageError, Transaction> {
    return Effect.withFiber((fiber) => this.transactions.require(fiber.context).read(operation))
  }

  write<A>(operation: () => A): Effect.Effect<A, StorageError, Transaction> {
    return Effect.withFiber((fiber) => this.transactions.require(fiber.context).write(operation))
  }

  attempt<A, E>(operation: () => Exit.Exit<A, E>): Effect.Effect<A, E | StorageError, Transaction> {
    return Effect.flatten(this.write(operation))
  }

  /** See {@link Storage.transact}. */
  readonly transact = <A, E, R>(
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError, Exclude<R, Transaction>> =>
    Effect.contextWith(
      (
        context: Context.Context<Exclude<R, Transaction>>
      ): Effect.Effect<A, E | StorageError, Exclude<R, Transaction>> => {
        const run = (transaction: SynchronousTransaction) =>
          transaction.part(() => this.transactions.runBody(transaction, context, body))
        const outer = this.transactions.find(context)
        if (outer !== undefined) return run(outer)
        if (this.closed) return Exit.fail(new ShuttingDown({}))
        if (this.database.activity !== "none") return Effect.andThen(laterTurn, this.transact(body))
        const transaction = new DatabaseTransaction(this.database)
        const exit = this.database.during("writing", () => run(transaction))
        this.counts.settled(exit)
        if (transaction.wrote && Exit.isSuccess(exit)) {
          this.counts.commit(1)
          describeCommit(context, 1)
          this.database.commits.notify()
        }
        return exit
      }
    )

  /**
   * Runs commands on rows that are at hand, also inside a body. `write` makes what a command has collected visible, all of it or, if it throws, nothing;
   * it runs within a transaction of the database.
   */
  runCommands(source: () => Source, write: (writes: ReadonlyArray<Write>) => void): RunCommand {
    const run = <Y extends Yielded, A>(
      begin: (transaction: CommandTransaction, context: Context.Context<never>) => Generator<Y, A, unknown>
    ): Effect.Effect<A, FailureOf<Y> | StorageError> =>
      Effect.withFiber(({ context }): Effect.Effect<A, FailureOf<Y> | StorageError> => {
        const outer = this.transactions.find(context)
        if (outer === undefined && this.closed) return Exit.fail(new ShuttingDown({}))
        if (outer === undefined && this.database.activity !== "none") return Effect.andThen(laterTurn, run(begin))
        Context.get(context, OnTransactionStart)()
        const transaction = new CommandTransaction(source())
        const commanded = () => this.written(transaction, () => begin(transaction, context), write)
        if (outer !== undefined) {
          const exit = outer.lost === undefined ? commanded() : Exit.fail(outer.lost)
          return Exit.isSuccess(exit) && transaction.writes.length > 0 ? outer.write(() => exit.value) : exit
        }
        const exit = this.database.during("writing", commanded)
        this.counts.settled(exit)
        if (transaction.writes.length > 0 && Exit.isSuccess(exit)) {
          this.counts.commit(1)
          describeCommit(context, 1)
          this.database.commits.notify()
        }
        return exit
      })
    return run
  }

  private written<Y extends Yielded, A>(
    transaction: CommandTransaction,
    begin: () => Generator<Y, A, unknown>,
    write: (writes: ReadonlyArray<Write>) => void
  ): Exit.Exit<A, FailureOf<Y> | StorageError> {
    let result: Result.Result<A, FailureOf<Y>>
    try {
      result = runNow(begin())
    } catch (defect) {
      return Exit.die(defect)
    }
    if (Result.isFailure(result)) return Exit.fail(result.failure)
    const { writes } = transaction
    let problem: { readonly thrown: unknown } | undefined
    if (writes.length > 0) {
      this.database.transaction(() => {
        try {
          write(writes)
        } catch (thrown) {
          problem = { thrown }
        }
        return problem === undefined
      })
    }
    return problem === undefined ? Exit.succeed(result.success) : Exit.fail(this.database.errorOf(problem.thrown))
  }

  /** See {@link Storage.snapshot}. No other body of this process runs meanwhile, so all reads see one committed state. */
  readonly snapshot = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    Effect.contextWith((context: Context.Context<R>): Effect.Effect<A, E | StorageError, R> => {
      const outer = this.transactions.find(context)
      if (outer !== undefined) return outer.lost === undefined ? body : Exit.fail(outer.lost)
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.database.activity === "writing") return Effect.andThen(laterTurn, this.snapshot(body))
      if (this.database.activity === "none") this.database.refresh()
      return this.database.during("reading", () => runBody(context, body))
    })

  /** See {@link Storage.watch}. */
  readonly watch: Storage["Service"]["watch"] = (notify, options) =>
    Effect.suspend(() => (this.closed ? Exit.fail(new ShuttingDown({})) : this.database.commits.watch(notify, options)))

  /** The operations of a {@link Storage} that no rows belong to. */
  get operations(): Pick<Storage["Service"], "transact" | "snapshot" | "watch" | "ready" | "activity"> {
    return {
      transact: this.transact,
      snapshot: this.snapshot,
      watch: this.watch,
      activity: this.counts,
      ready: this.transact(this.write(() => this.database.probe()))
    }
  }
}

class DatabaseTransaction extends SynchronousTransaction {
  private readonly database: SynchronousDatabase

  constructor(database: SynchronousDatabase) {
    super()
    this.database = database
  }

  protected nested(body: () => boolean): void {
    this.database.transaction(body)
  }

  protected errorOf(thrown: unknown): StorageError {
    return this.database.errorOf(thrown)
  }
}

/** Resumes after everything that runs in this turn of the event loop, the present body included. */
const laterTurn = Effect.callback<void>((resume) => queueMicrotask(() => resume(Effect.void)))
