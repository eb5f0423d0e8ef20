import { setTimeout } from "node:timers/promises"
import { LibsqlError } from "@libsql/client"
import * as Sql from "@petstore/adapters/sql"
import { ShuttingDown } from "@petstore/core/domain"
import type * as Ports from "@petstore/core/ports"
import { Effect } from "effect"

/** The storage error for something that the client threw. */
export const errorOf = (cause: unknown): Ports.StorageError =>
  cause instanceof LibsqlError && cause.code === "CLIENT_CLOSED"
    ? new ShuttingDown({}, { cause })
    : Sql.sqliteError(cause)

/** Makes a call of the client. While another process holds the lock, tries again for 5 s, without blocking anything. */
export const attempt = <A>(call: () => Promise<A>): Effect.Effect<A, Ports.StorageError> => {
  const deadline = performance.now() + 5_000
  const tryAgain = async (): Promise<A> => {
    try {
      return await call()
    } catch (cause) {
      if (errorOf(cause)._tag !== "StorageBusy" || performance.now() > deadline) throw cause
      await setTimeout(5)
      return tryAgain()
    }
  }
  return Effect.tryPromise({ try: tryAgain, catch: errorOf })
}
