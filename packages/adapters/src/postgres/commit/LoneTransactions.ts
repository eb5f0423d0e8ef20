import { describeCommit } from "@petstore/core/adapter-toolkit"
import { ShuttingDown } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { taking } from "../connection/borrowed.ts"
import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import { isConflict, statementError } from "../connection/errors.ts"
import type { PostgresConnection } from "../connection/PostgresConnection.ts"
import type { AppendEvents } from "../events/appendEvents.ts"
import { ConnectionTransaction } from "./ConnectionTransaction.ts"

// The timers stay real where a test replaces the global ones.
const { setTimeout } = globalThis

/** How often a transaction runs again after the server ended it because of others. */
const maxRetries = 4

/** Milliseconds before the next run, longer each time and different for those that met. */
const delayOf = (retries: number): number => Math.random() * 10 * 2 ** retries

/** What is done in a transaction, each time that it runs. */
type Work<A, E> = (transaction: ConnectionTransaction) => Promise<Exit.Exit<A, E>>

/** Is notified of the outcome of transactions that change something. */
interface TransactionListener {
  /** `numbered`: whether all its events have their numbers. */
  readonly committed: (numbered: boolean) => void
  readonly failed: (reason: StorageError) => void
  /** A transaction runs again. */
  readonly retried: () => void
}

/** Runs each transaction alone on a connection of its own. */
export class LoneTransactions {
  private readonly pool: ConnectionPool
  private readonly timeout: number
  private readonly appendEvents: AppendEvents
  private readonly listener: TransactionListener
  private running = 0
  private closed = false
  private onIdle = (): void => {}

  /** `timeout`: milliseconds that a transaction may take in all. */
  constructor(pool: ConnectionPool, timeout: number, appendEvents: AppendEvents, listener: TransactionListener) {
    this.pool = pool
    this.timeout = timeout
    this.appendEvents = appendEvents
    this.listener = listener
  }

  /**
   * Does work as a transaction, for a caller with these services. Does it again if the server ended it because of others, or
   * if the connection was lost before anything was committed, until the deadline, a time of `performance.now()`.
   */
  run<A, E>(
    context: Context.Context<never>,
    work: Work<A, E>,
    deadline = performance.now() + this.timeout
  ): Effect.Effect<A, E | StorageError> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.suspend((): Effect.Effect<A, E | StorageError> => {
        if (this.closed) return Exit.fail(new ShuttingDown({}))
        this.running++
        return restore(taking(this.pool, deadline)).pipe(
          Effect.flatMap((connection) =>
            Effect.flatten(Effect.promise(() => this.runOn(connection, deadline, context, work)))
          ),
          Effect.ensuring(Effect.sync(() => this.ended()))
        )
      })
    )
  }

  /** Accepts no more transactions, and completes when those that run have returned. */
  readonly close: Effect.Effect<void> = Effect.callback((resume) => {
    this.closed = true
    if (this.running === 0) return resume(Effect.void)
    this.onIdle = () => resume(Effect.void)
  })

  private ended(): void {
    this.running--
    if (this.running === 0) this.onIdle()
  }

  private async runOn<A, E>(
    first: PostgresConnection,
    deadline: number,
    context: Context.Context<never>,
    work: Work<A, E>
  ): Promise<Exit.Exit<A, E | StorageError>> {
    let connection = first
    for (let retries = 0; ; retries++) {
      connection.expire(deadline)
      const transaction = new ConnectionTransaction(connection, this.pool.begin, this.appendEvents)
      const exit = await this.once(transaction, context, work)
      connection.expire()
      const mayRetry = isConflict(transaction.lost) || connection.broken
      this.pool.give(connection)
      if (!mayRetry || transaction.lost === undefined || isUnknown(exit)) return exit
      if (retries === maxRetries || performance.now() >= deadline) return exit
      this.listener.retried()
      await new Promise((resolve) => setTimeout(resolve, delayOf(retries)))
      try {
        connection = await this.pool.take(deadline)
      } catch (cause) {
        return Exit.fail(statementError(cause))
      }
    }
  }

  private async once<A, E>(
    transaction: ConnectionTransaction,
    context: Context.Context<never>,
    work: Work<A, E>
  ): Promise<Exit.Exit<A, E | StorageError>> {
    const exit = await work(transaction)
    if (Exit.isFailure(exit) && transaction.lost === undefined) {
      await transaction.rollback()
      return exit
    }
    const problem = await transaction.commit()
    if (problem === undefined) {
      if (transaction.wrote) {
        describeCommit(context, 1)
        this.listener.committed(transaction.numbered)
      }
      return exit
    }
    this.listener.failed(problem)
    return Exit.fail(problem)
  }
}

/** Whether the transaction may have been committed, so that it must not run again. */
const isUnknown = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some(
    (reason) =>
      reason._tag === "Fail" &&
      typeof reason.error === "object" &&
      reason.error !== null &&
      "_tag" in reason.error &&
      reason.error._tag === "CommitUnknown"
  )
