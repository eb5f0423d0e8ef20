import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { InternalError, StorageBusy } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { migrate, requireMigrated } from "../schema/migrate.ts"
import { retryWhileBusy } from "./busyRetry.ts"
import { Connection, type ConnectionSettings } from "./Connection.ts"
import { configure } from "./configure.ts"
import { isBusy, isNoAccess, statementError } from "./errors.ts"
import { nodeSqlite } from "./nodeSqlite.ts"

/** A connection that can only read. Throws. */
export const openReader = (file: string, settings: ConnectionSettings = {}): Connection => {
  const { DatabaseSync } = nodeSqlite()
  return new Connection(new DatabaseSync(file, { readOnly: true }), settings)
}

const noAccess =
  ". Its folder must exist, and this process must be allowed to write to the folder and to the files in it."

/** Says which file cannot be used, why, and what to do where SQLite leaves that open. */
const unusable = (file: string, cause: unknown): InternalError => {
  const why = cause instanceof Error ? cause.message : cause
  return new InternalError({}, { message: `Cannot use ${file}: ${why}${isNoAccess(cause) ? noAccess : ""}`, cause })
}

const inTheWay =
  "The file cannot be opened now: another connection writes to it, keeps it for itself (locking_mode = EXCLUSIVE), or still reads from it while it changes to write-ahead logging. End that first, a transaction of the host included."

const openingError = (cause: unknown): StorageError =>
  isBusy(cause) ? new StorageBusy({}, { message: inTheWay, cause }) : statementError(cause)

/** The permissions of a new database. SQLite gives those of the database to its log and the index of that. */
const ownerOnly = 0o600

/** Makes an empty file that nobody else ever could read. Where that fails, SQLite says why. */
const createPrivately = (file: string): void => {
  try {
    writeFileSync(file, "", { flag: "wx", mode: ownerOnly })
  } catch {
    // Another process may have made it, or the folder is missing.
  }
}

const connect = (file: string, mayCreate: boolean, settings: ConnectionSettings): Connection => {
  const { DatabaseSync } = nodeSqlite()
  const isNew = !existsSync(file)
  if (isNew && !mayCreate) throw new Error("there is no such file.")
  if (isNew) createPrivately(file)
  const database = new DatabaseSync(file)
  // A link that led nowhere was made a file of by SQLite.
  if (isNew) chmodSync(file, ownerOnly)
  return new Connection(database, settings)
}

/**
 * Throws where this process may not write to the file. SQLite opens such a file all the same, and even begins a
 * transaction that is to write: only a write shows it. This one changes nothing.
 */
const requireWritable = (connection: Connection): void => {
  try {
    connection.database.exec(connection.named("DELETE FROM petstore_migrations WHERE FALSE"))
  } catch (cause) {
    // Somebody else writes, so this process could.
    if (!isBusy(cause)) throw cause
  }
}

/**
 * A connection that can write, with every setting in force and the schema up to date: brought there if it `mayMigrate`,
 * else refused where it is not. Waits, in milliseconds, for other processes that open the file at the same time.
 */
export const openWriter = (
  file: string,
  lockTimeout: number,
  mayMigrate: boolean,
  settings: ConnectionSettings
): Effect.Effect<Connection, StorageError> =>
  Effect.try({ try: () => connect(file, mayMigrate, settings), catch: (cause) => unusable(file, cause) }).pipe(
    Effect.tap((connection) =>
      retryWhileBusy(lockTimeout, openingError, () => {
        configure(connection.database)
        if (mayMigrate) migrate(connection)
        else requireMigrated(connection)
        requireWritable(connection)
      }).pipe(
        Effect.catchTag(["InternalError", "StorageUnavailable"], ({ cause }) => Effect.fail(unusable(file, cause))),
        Effect.onError(() => Effect.sync(() => connection.database.close()))
      )
    )
  )
