import { setTimeout } from "node:timers/promises"
import { LibsqlError } from "@libsql/client"
import * as Domain from "@petstore/core/domain"
import type * as Ports from "@petstore/core/ports"
import { Effect } from "effect"

const unavailable = ["SQLITE_CANTOPEN", "SQLITE_CORRUPT", "SQLITE_IOERR", "SQLITE_NOTADB", "SQLITE_READONLY"]

/** The storage error for something that the client threw. */
export const errorOf = (cause: unknown): Ports.StorageError => {
  if (cause instanceof Domain.InternalError) return cause
  const code = cause instanceof LibsqlError ? cause.code : ""
  if (code === "SQLITE_BUSY") return new Domain.StorageBusy({}, { cause })
  if (code === "SQLITE_FULL") return new Domain.StorageFull({}, { cause })
  if (code === "CLIENT_CLOSED") return new Domain.ShuttingDown({}, { cause })
  return unavailable.includes(code)
    ? new Domain.StorageUnavailable({}, { cause })
    : new Domain.InternalError({}, { cause })
}

/** The same for a COMMIT: if the disk failed, nobody knows what reached it. */
export const commitError = (cause: unknown): Ports.StorageError =>
  cause instanceof LibsqlError && cause.code === "SQLITE_IOERR"
    ? new Domain.CommitUnknown({}, { cause })
    : errorOf(cause)

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
