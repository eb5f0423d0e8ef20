import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"
import { type FailureOf, runNow, type Yielded } from "../kernel/Command.ts"
import { type Source, Transaction, type Write } from "../kernel/Transaction.ts"
import { type Asker, asking } from "../ports/Direct.ts"
import type { BeginCommand, RunCommand, Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { runBody } from "./runBody.ts"
import type { SynchronousDatabase } from "./SynchronousDatabase.ts"
import { describeCommit, TransactionCounts } from "./TransactionCounts.ts"

/** How the rows of a store read. */
export interface RowCalls {
  read<A>(operation: () => A): Effect.Effect<A, StorageError>
}

/** The connection of one store to a {@link SynchronousDatabase}: runs its reads on committed state, and its commands, one after another. */
export class SynchronousConnection implements RowCalls {
  readonly database: SynchronousDatabase
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
    return asking((): Effect.Effect<A, StorageError> => {
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.database.activity === "writing") return Effect.andThen(laterTurn, this.read(operation))
      try {
        if (this.database.activity === "none") this.database.refresh()
        return Exit.succeed(operation())
      } catch (thrown) {
        return Exit.fail(this.explain(thrown))
      }
    })
  }

  /** Does work of the store itself in a transaction: all of it or, if it throws, nothing. */
  transact<A>(work: () => A): Effect.Effect<A, StorageError> {
    return this.inTurn(() => this.changed(work))
  }

  /**
   * Runs commands on rows that are at hand, each in a transaction of the database. `write` makes what a command has collected.
   */
  runCommands(source: () => Source, write: (writes: ReadonlyArray<Write>) => void): RunCommand {
    return (begin) =>
      this.inTurn((asker) => {
        asker.onStart()
        return this.commanded(new Transaction(source()), asker.services, begin, write)
      })
  }

  /** See {@link Storage.snapshot}. No command of this process runs meanwhile, so all reads see one committed state. */
  readonly snapshot = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    Effect.contextWith((context: Context.Context<R>): Effect.Effect<A, E | StorageError, R> => {
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.database.activity === "writing") return Effect.andThen(laterTurn, this.snapshot(body))
      if (this.database.activity === "none") this.database.refresh()
      return this.database.during("reading", () => runBody(context, body))
    })

  /** See {@link Storage.watch}. */
  readonly watch: Storage["Service"]["watch"] = (notify, options) =>
    Effect.suspend(() => (this.closed ? Exit.fail(new ShuttingDown({})) : this.database.commits.watch(notify, options)))

  /** The operations of a {@link Storage} that no rows belong to. */
  get operations(): Pick<Storage["Service"], "snapshot" | "watch" | "ready" | "activity"> {
    return {
      snapshot: this.snapshot,
      watch: this.watch,
      activity: this.counts,
      ready: this.transact(() => this.database.probe())
    }
  }

  /** Runs what changes the database when nothing else runs. It counts as a transaction. */
  private inTurn<A, E>(work: (asker: Asker) => Exit.Exit<A, E>): Effect.Effect<A, E | StorageError> {
    return asking((asker): Effect.Effect<A, E | StorageError> => {
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.database.activity !== "none") return Effect.andThen(laterTurn, this.inTurn(work))
      const exit = this.database.during("writing", () => work(asker))
      this.counts.settled(exit)
      return exit
    })
  }

  private commanded<Y extends Yielded, A>(
    transaction: Transaction,
    context: Context.Context<never>,
    begin: BeginCommand<Y, A>,
    write: (writes: ReadonlyArray<Write>) => void
  ): Exit.Exit<A, FailureOf<Y> | StorageError> {
    let ended: Exit.Exit<A, FailureOf<Y>> | undefined
    const { writes } = transaction
    try {
      this.database.transaction(() => {
        ended = runToEnd(begin, transaction, context)
        // Nothing of it is kept.
        if (Exit.isFailure(ended)) throw ended
        if (writes.length > 0) write(writes)
      })
    } catch (thrown) {
      return ended !== undefined && thrown === ended ? ended : Exit.fail(this.explain(thrown))
    }
    if (writes.length > 0) {
      describeCommit(context, 1)
      this.committed()
    }
    return ended ?? notRun
  }

  private changed<A>(work: () => A): Exit.Exit<A, StorageError> {
    try {
      const value = this.database.transaction(work)
      this.committed()
      return Exit.succeed(value)
    } catch (thrown) {
      return Exit.fail(this.explain(thrown))
    }
  }

  /** What something means that an engine threw, or its rows: they throw the errors of values that other rows have. */
  private explain(thrown: unknown): StorageError {
    return thrown instanceof Error && "_tag" in thrown ? (thrown as StorageError) : this.database.errorOf(thrown)
  }

  private committed(): void {
    this.counts.commit(1)
    this.database.commits.notify()
  }
}

const runToEnd = <Y extends Yielded, A>(
  begin: BeginCommand<Y, A>,
  transaction: Transaction,
  context: Context.Context<never>
): Exit.Exit<A, FailureOf<Y>> => {
  try {
    const result = runNow(begin(transaction, context))
    return Result.isSuccess(result) ? Exit.succeed(result.success) : Exit.fail(result.failure)
  } catch (defect) {
    return Exit.die(defect)
  }
}

const notRun = Exit.die(new Error("The storage engine of this adapter did not run the work of a transaction."))

/** Resumes after everything that runs in this turn of the event loop, the present command included. */
const laterTurn = Effect.callback<void>((resume) => queueMicrotask(() => resume(Effect.void)))
