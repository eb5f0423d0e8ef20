import { Context, Effect, Exit, type Scope } from "effect"
import { InternalError, ShuttingDown, StorageFull } from "../domain/errors/ServiceErrors.ts"
import { runBody } from "../ports/runBody.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { Transaction } from "../ports/Transaction.ts"
import type { MemoryDatabase } from "./MemoryDatabase.ts"
import { type MemoryFaults, noFaults } from "./MemoryFaults.ts"
import { MemoryTransaction } from "./MemoryTransaction.ts"
import { UndoLog } from "./UndoLog.ts"

/**
 * One store's way to the database. Bodies run to their end at once, so a reader outside sees no half of a transaction;
 * whoever a body wakes while it runs waits here until it is over.
 */
export class MemoryConnection {
  readonly database: MemoryDatabase
  private readonly faults: MemoryFaults
  private closed = false

  constructor(database: MemoryDatabase, faults: MemoryFaults = noFaults()) {
    this.database = database
    this.faults = faults
  }

  readonly close: Effect.Effect<void> = Effect.sync(() => {
    this.closed = true
  })

  /** An operation that only looks. */
  read<A>(look: () => A): Effect.Effect<A, StorageError> {
    return Effect.withFiber((fiber): Effect.Effect<A, StorageError> => {
      const handle = Context.getOrUndefined(fiber.context, Transaction)
      if (handle !== undefined) return this.within(handle, () => Exit.succeed(look()))
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.database.activity === "writing") return Effect.andThen(laterTurn, this.read(look))
      return Exit.succeed(look())
    })
  }

  /** An operation that looks at what nobody else can change until the transaction ends. */
  lock<A>(look: () => A): Effect.Effect<A, StorageError, Transaction> {
    return this.required(() => Exit.succeed(look()))
  }

  /** An operation that changes something. */
  write<A, E>(change: (log: UndoLog) => Exit.Exit<A, E>): Effect.Effect<A, E | StorageError, Transaction> {
    return this.required(({ log }): Exit.Exit<A, E | StorageError> => {
      if (!this.faults.loseNextTransaction) return change(log)
      this.faults.loseNextTransaction = false
      return Exit.fail(log.lose(new StorageFull({})))
    })
  }

  /** See {@link Storage.transact}. */
  readonly transact = <A, E, R>(
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError, Exclude<R, Transaction>> =>
    Effect.contextWith((context: Context.Context<Exclude<R, Transaction>>) => {
      const outer = Context.getOrUndefined(context, Transaction)
      if (outer !== undefined) return this.within(outer, ({ log }) => this.runIn(log, context, body))
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.database.activity !== "none") return Effect.andThen(laterTurn, this.transact(body))
      return this.database.during("writing", () => {
        const log = new UndoLog()
        return this.commit(log, this.runIn(log, context, body))
      })
    })

  /** See {@link Storage.snapshot}. Nobody writes while the body runs, so all its reads are of one moment. */
  readonly snapshot = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    Effect.contextWith((context: Context.Context<R>) => {
      const outer = Context.getOrUndefined(context, Transaction)
      if (outer !== undefined) return this.within(outer, () => body)
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.database.activity === "writing") return Effect.andThen(laterTurn, this.snapshot(body))
      return this.database.during("reading", () => runBody(context, body))
    })

  /** See {@link Storage.watch}. */
  readonly watch = (wake: () => void): Effect.Effect<void, StorageError, Scope.Scope> =>
    Effect.suspend(() => {
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      const { watchers } = this.database
      const watcher = { wake }
      return Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => watchers.add(watcher)),
          () => Effect.sync(() => watchers.delete(watcher))
        )
      )
    })

  private required<A, E>(
    use: (transaction: MemoryTransaction) => Exit.Exit<A, E>
  ): Effect.Effect<A, E | StorageError, Transaction> {
    return Effect.withFiber(({ context }) => {
      const handle = Context.getOrUndefined(context, Transaction)
      return handle === undefined
        ? Exit.die(new Error("This operation needs a transaction: run it in the body of a transact"))
        : this.within(handle, use)
    })
  }

  /** Goes on in the transaction of a handle, if an operation of this store may run in it. */
  private within<A, E, R>(
    handle: Transaction["Service"],
    use: (transaction: MemoryTransaction) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError, R> {
    const transaction = MemoryTransaction.of(handle, this)
    if (transaction === undefined) {
      return Exit.die(new Error("This transaction is another store's: use one store in one transaction"))
    }
    if (!transaction.open) {
      return Exit.die(new Error("This transaction is over: end all work of a transaction within its body"))
    }
    return transaction.log.lost === undefined ? use(transaction) : Exit.fail(transaction.log.lost)
  }

  /** Runs a body, or a body inside one, and takes back what it did if it does not succeed. */
  private runIn<A, E, R>(
    log: UndoLog,
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Exit.Exit<A, E | StorageError> {
    const transaction = new MemoryTransaction(this, log)
    const { mark } = log
    const exit = runBody(context, Effect.provideService(body, Transaction, transaction))
    transaction.open = false
    if (log.lost !== undefined) return Exit.fail(log.lost)
    if (Exit.isFailure(exit)) log.rollbackTo(mark)
    return exit
  }

  private commit<A, E>(log: UndoLog, exit: Exit.Exit<A, E>): Exit.Exit<A, E | StorageError> {
    if (Exit.isFailure(exit)) return exit
    if (this.faults.failNextCommit) {
      this.faults.failNextCommit = false
      log.rollbackTo(0)
      return Exit.fail(new InternalError({}, { cause: new Error("The commit failed") }))
    }
    if (log.mark > 0) for (const { wake } of this.database.watchers) wake()
    return exit
  }
}

/** Resumes after everything that runs in this turn, the present body included. */
const laterTurn = Effect.callback<void>((resume) => queueMicrotask(() => resume(Effect.void)))
