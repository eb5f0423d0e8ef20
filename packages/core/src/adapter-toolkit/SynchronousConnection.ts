import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"
import type { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { Transaction } from "../ports/Transaction.ts"
import { runBody } from "./runBody.ts"
import type { SynchronousDatabase } from "./SynchronousDatabase.ts"

/**
 * One store's way to a {@link SynchronousDatabase}. Whatever an operation throws within a transaction takes all of it
 * with it, and is answered as the database's `errorOf` says.
 */
export class SynchronousConnection {
  readonly database: SynchronousDatabase
  private readonly working = new Set<Promise<unknown>>()
  private closed = false

  constructor(database: SynchronousDatabase) {
    this.database = database
  }

  /** Connects one more store to a database, until the scope closes; the database stays. */
  static readonly open = (database: SynchronousDatabase): Effect.Effect<SynchronousConnection, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => new SynchronousConnection(database)),
      ({ close }) => close
    )

  /** From here on whatever is asked for fails; what was asked for and waits does too. Waits for work that has begun. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.closed = true
    return this.working.size === 0 ? Effect.void : Effect.promise(() => Promise.allSettled(this.working))
  })

  /**
   * Work that takes its time and stands outside of transactions, such as a backup. Once begun it is waited for, by a
   * caller that is interrupted too, so that nobody closes the database under it.
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

  /** An operation that only looks, in a transaction or outside of it. */
  read<A>(look: () => A): Effect.Effect<A, StorageError> {
    return Effect.withFiber((fiber): Effect.Effect<A, StorageError> => {
      const handle = Context.getOrUndefined(fiber.context, Transaction)
      if (handle !== undefined) return this.within(handle, (transaction) => this.operate(transaction, look))
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.database.activity === "writing") return Effect.andThen(laterTurn, this.read(look))
      try {
        if (this.database.activity === "none") this.database.refresh()
        return Exit.succeed(look())
      } catch (thrown) {
        return Exit.fail(this.database.errorOf(thrown))
      }
    })
  }

  /** An operation that looks at what nobody else can change until the transaction ends: there is one writer at a time. */
  lock<A>(look: () => A): Effect.Effect<A, StorageError, Transaction> {
    return this.required((transaction) => this.operate(transaction, look))
  }

  /** An operation that changes something. */
  write<A>(change: () => A): Effect.Effect<A, StorageError, Transaction> {
    return this.required((transaction) => this.operate(transaction, change))
  }

  /** An operation that changes something, or refuses to by a failed exit: then the transaction can go on. */
  attempt<A, E>(change: () => Exit.Exit<A, E>): Effect.Effect<A, E | StorageError, Transaction> {
    return this.required((transaction): Exit.Exit<A, E | StorageError> => {
      const done = this.operate(transaction, change)
      return Exit.isSuccess(done) ? done.value : Exit.failCause(done.cause)
    })
  }

  /** See {@link Storage.transact}. */
  readonly transact = <A, E, R>(
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError, Exclude<R, Transaction>> =>
    Effect.contextWith((context: Context.Context<Exclude<R, Transaction>>) => {
      const outer = Context.getOrUndefined(context, Transaction)
      if (outer !== undefined) return this.within(outer, ({ whole }) => this.run(whole, context, body))
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.database.activity !== "none") return Effect.andThen(laterTurn, this.transact(body))
      const exit = this.database.during("writing", () => this.run({ lost: undefined }, context, body))
      if (Exit.isSuccess(exit)) this.database.watch.notify()
      return exit
    })

  /** See {@link Storage.snapshot}. No other body of this process runs meanwhile, so all its reads are of one moment. */
  readonly snapshot = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    Effect.contextWith((context: Context.Context<R>): Effect.Effect<A, E | StorageError, R> => {
      const outer = Context.getOrUndefined(context, Transaction)
      if (outer !== undefined) return this.within(outer, () => body)
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.database.activity === "writing") return Effect.andThen(laterTurn, this.snapshot(body))
      if (this.database.activity === "none") this.database.refresh()
      return this.database.during("reading", () => runBody(context, body))
    })

  /** See {@link Storage.watch}. */
  readonly watch = (wake: () => void): Effect.Effect<void, StorageError, Scope.Scope> =>
    Effect.suspend(() => (this.closed ? Exit.fail(new ShuttingDown({})) : this.database.watch.watch(wake)))

  /** What a store offers beside its rows, all of it as the port says. */
  get operations(): Pick<Storage["Service"], "transact" | "snapshot" | "watch" | "ready"> {
    return {
      transact: this.transact,
      snapshot: this.snapshot,
      watch: this.watch,
      ready: this.transact(this.write(() => this.database.probe()))
    }
  }

  private required<A, E>(
    use: (transaction: OpenTransaction) => Effect.Effect<A, E>
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
    use: (transaction: OpenTransaction) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError, R> {
    if (!(handle instanceof OpenTransaction) || handle.store !== this) {
      return Exit.die(new Error("This transaction is another store's: use one store in one transaction"))
    }
    if (!handle.open) {
      return Exit.die(new Error("This transaction is over: end all work of a transaction within its body"))
    }
    return handle.whole.lost === undefined ? use(handle) : Exit.fail(handle.whole.lost)
  }

  private operate<A>({ whole }: OpenTransaction, operation: () => A): Exit.Exit<A, StorageError> {
    try {
      return Exit.succeed(operation())
    } catch (thrown) {
      whole.lost = this.database.errorOf(thrown)
      return Exit.fail(whole.lost)
    }
  }

  /** Runs a body, or a body inside one. */
  private run<A, E, R>(
    whole: Whole,
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Exit.Exit<A, E | StorageError> {
    const transaction = new OpenTransaction(this, whole)
    let exit: Exit.Exit<A, E> = notRun
    try {
      this.database.transaction(() => {
        exit = runBody(context, Effect.provideService(body, Transaction, transaction))
        transaction.open = false
        return whole.lost === undefined && Exit.isSuccess(exit)
      })
    } catch (thrown) {
      whole.lost ??= this.database.errorOf(thrown)
    }
    return whole.lost === undefined ? exit : Exit.fail(whole.lost)
  }
}

/** What the bodies of one transaction share: why all of it is gone, if it is. */
interface Whole {
  lost: StorageError | undefined
}

/** The handle of a running body; one inside another has a handle of its own. */
class OpenTransaction {
  readonly store: object
  readonly whole: Whole
  /** Whether the body is still running. */
  open = true

  constructor(store: object, whole: Whole) {
    this.store = store
    this.whole = whole
  }
}

const notRun = Exit.die(new Error("The storage engine of this adapter did not run the body of a transaction"))

/** Resumes after everything that runs in this turn, the present body included. */
const laterTurn = Effect.callback<void>((resume) => queueMicrotask(() => resume(Effect.void)))
