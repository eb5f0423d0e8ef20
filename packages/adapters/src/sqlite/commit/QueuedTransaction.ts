import { describeCommit, type TransactionCounts } from "@petstore/core/adapter-toolkit"
import type { StorageError } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ConnectionTransaction } from "./ConnectionTransaction.ts"

/** A member of a group that shares a commit. */
export interface Member {
  /** When it stops waiting for the lock; undefined until it waits. */
  deadline: number | undefined
  /** Whether it is still to be run. */
  readonly isWaiting: boolean
  run(group: ConnectionTransaction): void
  /** Makes it wait again: what it did was rolled back. */
  reset(): void
  /** Fails it: nothing of it was committed. */
  fail(reason: StorageError): void
  /** Notes in its span how many transactions share its commit. */
  committed(size: number): void
  /** Returns the result to the caller, if there is one. */
  settle(counts: TransactionCounts): void
}

/** Runs a command in the transaction of a group. */
export type Work<A, E> = (group: ConnectionTransaction) => Exit.Exit<A, E | StorageError>

/** One transaction, from the call to its result. */
export class QueuedTransaction<A, E> implements Member {
  deadline: number | undefined
  private readonly context: Context.Context<never>
  private readonly work: Work<A, E>
  private respond: (exit: Exit.Exit<A, E | StorageError>) => void
  private exit: Exit.Exit<A, E | StorageError> | undefined
  private hasStarted = false
  private isSettled = false

  constructor(
    context: Context.Context<never>,
    work: Work<A, E>,
    respond: (exit: Exit.Exit<A, E | StorageError>) => void
  ) {
    this.context = context
    this.work = work
    this.respond = respond
  }

  get isWaiting(): boolean {
    return this.exit === undefined && !this.isSettled
  }

  run(group: ConnectionTransaction): void {
    this.hasStarted = true
    this.exit = this.work(group)
  }

  reset(): void {
    this.exit = undefined
  }

  fail(reason: StorageError): void {
    this.exit = Exit.fail(reason)
  }

  committed(size: number): void {
    describeCommit(this.context, size)
  }

  settle(counts: TransactionCounts): void {
    if (this.exit === undefined || this.isSettled) return
    this.isSettled = true
    counts.settled(this.exit)
    this.respond(this.exit)
  }

  /** What an interruption of the caller does: leaves the queue, or waits for the result of a command that has started. */
  get interruption(): Effect.Effect<void> {
    return Effect.callback((done) => {
      if (this.hasStarted && !this.isSettled) {
        // A result that is an interruption arrives here too, settled.
        this.respond = () => done(Effect.void)
      } else {
        this.isSettled = true
        done(Effect.void)
      }
    })
  }
}
