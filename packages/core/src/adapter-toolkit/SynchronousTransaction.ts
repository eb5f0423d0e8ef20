import * as Exit from "effect/Exit"
import type { StorageError } from "../ports/StorageError.ts"

/**
 * A transaction of an engine whose calls are synchronous, as all of its bodies share it: what they do to it, and how it
 * fails as a whole. See {@link OpenTransactions} for how bodies and operations find it.
 *
 * An adapter says how its engine runs a nested part and what an error of it means; the caller of the outermost part
 * begins the transaction. After that part the store commits if {@link SynchronousTransaction.lost} is undefined; otherwise
 * it rolls back, and all bodies fail with that error.
 */
export abstract class SynchronousTransaction {
  private failure: StorageError | undefined
  private changed = false

  /** Why the transaction cannot be committed; undefined as long as it can. */
  get lost(): StorageError | undefined {
    return this.failure
  }

  /** Whether a write succeeded that was not rolled back. */
  get wrote(): boolean {
    return this.changed
  }

  /**
   * Runs `body` as a part of the transaction that can be rolled back alone: keeps what it did if it returns true, else
   * rolls that back. Does nothing after `body` if the transaction is lost by then: see {@link SynchronousTransaction.lost}.
   * Throws what the engine throws.
   */
  protected abstract nested(body: () => boolean): void

  /** The storage error for something that the engine threw. */
  protected abstract errorOf(thrown: unknown): StorageError

  /** Whether the transaction can continue after an operation that threw: some engines undo only that operation. */
  protected get survives(): boolean {
    return false
  }

  /** Marks the transaction as lost: all later operations fail with this error. Later reasons are ignored. */
  lose(reason: StorageError): void {
    this.failure ??= reason
  }

  /** Runs an operation that reads or locks. */
  read<A>(operation: () => A): Exit.Exit<A, StorageError> {
    if (this.failure !== undefined) return Exit.fail(this.failure)
    try {
      return Exit.succeed(operation())
    } catch (thrown) {
      const error = this.errorOf(thrown)
      if (!this.survives) this.lose(error)
      return Exit.fail(error)
    }
  }

  /** Runs an operation that writes. */
  write<A>(operation: () => A): Exit.Exit<A, StorageError> {
    const exit = this.read(operation)
    if (Exit.isSuccess(exit)) this.changed = true
    return exit
  }

  /** Runs a body as a part that can fail alone: what it did is kept if it succeeds, and rolled back otherwise. */
  part<A, E>(body: () => Exit.Exit<A, E>): Exit.Exit<A, E | StorageError> {
    if (this.failure !== undefined) return Exit.fail(this.failure)
    const changedBefore = this.changed
    let exit: Exit.Exit<A, E> = notRun
    try {
      this.nested(() => {
        exit = body()
        return this.failure === undefined && Exit.isSuccess(exit)
      })
    } catch (thrown) {
      this.lose(this.errorOf(thrown))
    }
    if (this.failure !== undefined) return Exit.fail(this.failure)
    if (Exit.isFailure(exit)) this.changed = changedBefore
    return exit
  }
}

const notRun = Exit.die(new Error("The storage engine of this adapter did not run the body of a transaction."))
