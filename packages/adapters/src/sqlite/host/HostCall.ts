import { randomUUID } from "node:crypto"
// Libraries run in real time: timers stay real if a test replaces the global ones.
import { clearTimeout, setTimeout } from "node:timers"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { unresponsive } from "../../sql/JoinedTransactions.ts"
import type { SqlTransaction } from "../../sql/SqlTransaction.ts"
import type { HostDatabase } from "./HostDatabase.ts"
import { notAccepted, unusable } from "./hostErrors.ts"

/** What calls do when their statement runs on a connection, by their tokens. */
const calls = new Map<string, (database: HostDatabase) => void>()

const accepts = (database: HostDatabase): boolean => {
  try {
    database.prepare("SELECT petstore_call(NULL)")
    return true
  } catch {
    return false
  }
}

/**
 * Lets calls of the petstore run in transactions that Kysely, Drizzle or another library has open on this connection: `sqlite({ database })`
 * does so for its own. Call it once for each other connection of your app, and again if you close and reopen one.
 */
export const acceptCalls = (database: HostDatabase): void => {
  // One statement of the library calls this function, so that nothing of the app, and no end of the transaction, comes between what a
  // call reads and what it writes.
  if (accepts(database)) return
  database.function?.("petstore_call", { directOnly: true }, (token) => {
    calls.get(String(token))?.(database)
    return null
  })
}

/**
 * Begins a transaction that can only be rolled back, in place of one that SQLite has rolled back by itself: the library would report
 * that its ROLLBACK failed, instead of why the call did, and nothing of the app may be committed without what came before.
 */
const beginRejected = (database: HostDatabase): void => {
  const statements = [
    "BEGIN",
    `CREATE TEMP TABLE petstore_rolled_back (
      id INTEGER PRIMARY KEY,
      until INTEGER NOT NULL REFERENCES petstore_rolled_back (id) DEFERRABLE INITIALLY DEFERRED
    )`,
    "INSERT INTO temp.petstore_rolled_back (id, until) VALUES (1, 2)"
  ]
  try {
    for (const sql of statements) database.prepare(sql).run()
  } catch {
    // The connection has no transaction, or one that ends with this error.
  }
}

const stuck = "The library of this transaction does not respond: it has not run a statement"

/** Does work on the connection on which the transaction of a library is open, within one statement of it. Never fails halfway. */
export const callThrough = <A, E>(
  transaction: SqlTransaction,
  timeout: number,
  work: (database: HostDatabase) => Exit.Exit<A, E>
): Effect.Effect<A, E | StorageError> =>
  Effect.suspend(() => {
    let done: Exit.Exit<A, E> | undefined
    const sent = Effect.callback<A, E | StorageError>((resume) => {
      const token = randomUUID()
      const end = (otherwise: () => Exit.Exit<A, E | StorageError>): void => {
        clearTimeout(timer)
        // From here on the statement does nothing.
        calls.delete(token)
        resume(done ?? otherwise())
      }
      const failed = (cause: unknown): void =>
        end(() => Exit.die(new TypeError(isUnknownFunction(cause) ? notAccepted : unusable(cause), { cause })))
      calls.set(token, (database) => {
        calls.delete(token)
        const wasOpen = database.isTransaction
        const exit = work(database)
        if (wasOpen && !database.isTransaction) beginRejected(database)
        done = exit
        // It is part of the transaction now, whether or not the library returns the result. Nobody continues within the statement.
        queueMicrotask(() => end(() => exit))
      })
      const timer = setTimeout(() => end(() => Exit.fail(unresponsive(stuck))), timeout)
      try {
        const result = transaction.rows("SELECT petstore_call(?) AS called", [token])
        void Promise.resolve(result).then(() => end(() => Exit.die(new TypeError(unusable(undefined)))), failed)
      } catch (cause) {
        failed(cause)
      }
      return Effect.sync(() => end(() => Exit.die(new Error("Nobody waits"))))
    })
    // A call that has run is in the transaction, whatever its caller does.
    return Effect.uninterruptible(
      Effect.catchCause(
        Effect.interruptible(sent),
        (cause): Effect.Effect<A, E | StorageError> => done ?? Effect.failCause(cause)
      )
    )
  })

const isUnknownFunction = (cause: unknown): boolean =>
  cause instanceof Error && (/no such function/.test(cause.message) || isUnknownFunction(cause.cause))
