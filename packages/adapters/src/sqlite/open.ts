import { DatabaseSync } from "node:sqlite"
import { InternalError } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import { Effect } from "effect"
import { Connection } from "./Connection.ts"
import { configure } from "./configure.ts"
import { migrate, requireMigrated } from "./migrate.ts"
import { whileBusy } from "./patience.ts"

// SQLite's own way to wait for a lock, `timeout`, blocks the event loop.
const connect = (file: string, readOnly: boolean): Connection =>
  new Connection(new DatabaseSync(file, { timeout: 0, readOnly }))

/** A connection that can only read. Throws. */
export const openReader = (file: string): Connection => connect(file, true)

/** Says which file cannot be used, and why. */
const unusable = (file: string, cause: unknown): InternalError =>
  new InternalError({}, { message: `Cannot use ${file}: ${cause instanceof Error ? cause.message : cause}`, cause })

/**
 * A connection that can write, with every setting in force and the schema up to date. Waits, in milliseconds, for
 * other processes that do the same to this file.
 */
export const openWriter = (
  file: string,
  lockTimeout: number,
  mayMigrate: boolean
): Effect.Effect<Connection, StorageError> =>
  Effect.try({ try: () => connect(file, false), catch: (cause) => unusable(file, cause) }).pipe(
    Effect.tap((connection) =>
      whileBusy(lockTimeout, () => {
        configure(connection.database)
        if (mayMigrate) migrate(connection)
        else requireMigrated(connection)
      }).pipe(
        Effect.catchTag("InternalError", ({ cause }) => Effect.fail(unusable(file, cause))),
        Effect.onError(() => Effect.sync(() => connection.database.close()))
      )
    )
  )
