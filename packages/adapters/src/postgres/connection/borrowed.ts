import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { ConnectionPool } from "./ConnectionPool.ts"
import type { ConnectionSource } from "./ConnectionSource.ts"
import { statementError } from "./errors.ts"
import type { PostgresConnection } from "./PostgresConnection.ts"

/** Waits for a connection. One that comes after its caller has stopped waiting goes to `giveBack`. */
const waitingFor = (
  connect: () => Promise<PostgresConnection>,
  giveBack: (late: PostgresConnection) => unknown
): Effect.Effect<PostgresConnection, StorageError> =>
  Effect.callback((resume) => {
    let waits = true
    connect().then(
      (connection) => (waits ? resume(Effect.succeed(connection)) : giveBack(connection)),
      (cause) => resume(Effect.fail(statementError(cause)))
    )
    return Effect.sync(() => {
      waits = false
    })
  })

/** Takes a connection of a pool for a caller who may stop waiting: then the next one receives it. */
export const taking = (
  pool: Pick<ConnectionPool, "take" | "give">,
  deadline?: number
): Effect.Effect<PostgresConnection, StorageError> =>
  waitingFor(
    () => pool.take(deadline),
    (late) => pool.give(late)
  )

/** A connection that is closed, or given back to the pool of the host application, with the scope. */
export const borrowed = (source: ConnectionSource): Effect.Effect<PostgresConnection, StorageError, Scope.Scope> =>
  Effect.acquireRelease(
    waitingFor(() => source.connect(), source.disconnect),
    (connection, exit) =>
      Effect.promise(() => {
        // A statement may be under way, for which the next user would wait.
        if (Exit.hasInterrupts(exit)) connection.break()
        return source.disconnect(connection)
      }),
    { interruptible: true }
  )
