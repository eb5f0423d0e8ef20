import { describeCommit, type TransactionCounts } from "@petstore/core/adapter-toolkit"
import type { Asker, Done, StorageError } from "@petstore/core/ports"
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
export type Work<A, E> = (group: ConnectionTransaction, asker: Asker) => Exit.Exit<A, E | StorageError>

/** One transaction, from the call to its result. */
export class QueuedTransaction<A, E> implements Member {
  deadline: number | undefined
  private readonly asker: Asker
  private readonly work: Work<A, E>
  private readonly respond: Done<A, E | StorageError>
  private exit: Exit.Exit<A, E | StorageError> | undefined
  private hasStarted = false
  private isSettled = false

  constructor(asker: Asker, work: Work<A, E>, respond: Done<A, E | StorageError>) {
    this.asker = asker
    this.work = work
    this.respond = respond
  }

  get isWaiting(): boolean {
    return this.exit === undefined && !this.isSettled
  }

  run(group: ConnectionTransaction): void {
    this.hasStarted = true
    this.exit = this.work(group, this.asker)
  }

  reset(): void {
    this.exit = undefined
  }

  fail(reason: StorageError): void {
    this.exit = Exit.fail(reason)
  }

  committed(size: number): void {
    describeCommit(this.asker.services, size)
  }

  settle(counts: TransactionCounts): void {
    if (this.exit === undefined || this.isSettled) return
    this.isSettled = true
    counts.settled(this.exit)
    this.respond(this.exit)
  }

  /** Leaves the queue with an interruption, unless it has started. */
  readonly cancel = (): void => {
    if (this.hasStarted || this.isSettled) return
    this.isSettled = true
    this.respond(Exit.interrupt())
  }
}
