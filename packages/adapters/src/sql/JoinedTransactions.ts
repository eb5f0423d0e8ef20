import { ShuttingDown, StorageBusy } from "@petstore/core/domain"
import type { FailureOf, Yielded } from "@petstore/core/kernel"
import { type Asker, asking, type BeginCommand, type Storage, type StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** The exit of a call whose transaction it cannot join, for the reason in the message. */
export const invalidUse = (message: string): Exit.Exit<never> => Exit.die(new TypeError(message))

/** Describes the database of a transaction, and that of the petstore, for errors. */
export const otherDatabase = (other: string, own: string): string =>
  `The transaction belongs to another database: ${other}. The petstore is in ${own}.`

/** The message of the database, whose error libraries wrap in their own. */
export const databaseMessage = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? databaseMessage(cause.cause) : cause.message
}

/** The error of a library or connection that has not responded in time, before the call has written anything. */
export const unresponsive = (message: string): StorageError =>
  new StorageBusy({}, { message: `${message}. Nothing of the call has happened.` })

/** Runs commands inside transactions that the host application has open, as far as all databases do it alike. */
export abstract class JoinedTransactions<Transaction> {
  private closed = false

  /** Finds the transaction that the host application has passed, or returns an error message. */
  protected abstract find(given: unknown): Transaction | string

  protected abstract run<Y extends Yielded, A>(
    transaction: Transaction,
    begin: BeginCommand<Y, A>,
    asker: Asker
  ): Effect.Effect<A, FailureOf<Y> | StorageError>

  /** Completes when the commands that run have returned. */
  protected readonly idle: Effect.Effect<void> = Effect.void

  /** See {@link Storage.join}. */
  readonly join: Storage["Service"]["join"] & {} = (given, begin) =>
    asking((asker) => {
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      const transaction = this.find(given)
      return typeof transaction === "string" ? invalidUse(transaction) : this.run(transaction, begin, asker)
    })

  /** Rejects calls from now on, and completes when those that run have returned. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.closed = true
    return this.idle
  })
}
