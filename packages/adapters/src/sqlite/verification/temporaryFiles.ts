import { accessSync, constants, statSync } from "node:fs"
import { tmpdir } from "node:os"
import process from "node:process"
import type { DatabaseSync } from "node:sqlite"
import { StorageFull } from "@petstore/core/domain"
import type { StorageError, TemporaryLists } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { nodeSqlite } from "../connection/Connection.ts"
import { isFull, isUnwritten, statementError } from "../connection/errors.ts"

const isUsable = (folder: string | undefined): folder is string => {
  try {
    if (folder === undefined || !statSync(folder).isDirectory()) return false
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The folder in which SQLite creates temporary files. */
const temporaryFolder = (): string => {
  if (process.platform === "win32") return tmpdir()
  const { SQLITE_TMPDIR, TMPDIR } = process.env
  return [SQLITE_TMPDIR, TMPDIR, "/var/tmp", "/usr/tmp", "/tmp"].find(isUsable) ?? "."
}

/** The error of a statement that writes to temporary files only. Names their folder if there is no room in it. */
export const temporaryFileError = (cause: unknown): StorageError =>
  isFull(cause) || isUnwritten(cause)
    ? new StorageFull(
        {},
        {
          message: `There is no room for temporary files in ${temporaryFolder()}. Free some space there, or start again with SQLITE_TMPDIR set to another folder.`,
          cause
        }
      )
    : statementError(cause)

const setUp = `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;
  CREATE TABLE texts (list TEXT NOT NULL, place INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (list, place)) STRICT`

/** A database without a name: SQLite puts it into a temporary file, which is gone when it is closed or the process ends. */
const open = (): DatabaseSync => {
  const { DatabaseSync } = nodeSqlite()
  const database = new DatabaseSync("")
  database.exec(setUp)
  // One transaction for everything, since nothing is kept.
  database.exec("BEGIN")
  return database
}

const operations = (database: DatabaseSync): TemporaryLists => {
  const insert = database.prepare("INSERT INTO texts (list, place, text) VALUES (?, ?, ?)")
  const select = database.prepare("SELECT text FROM texts WHERE list = ? AND place = ?")
  const lengths = new Map<string, number>()
  const attempt = <A>(work: () => A): Effect.Effect<A, StorageError> =>
    Effect.try({ try: work, catch: temporaryFileError })
  return {
    append: (list, text) =>
      attempt(() => {
        const place = lengths.get(list) ?? 0
        insert.run(list, place, text)
        lengths.set(list, place + 1)
      }),
    read: (list, place) =>
      attempt(() => {
        const text = select.get(list, place)?.text
        return text === undefined ? undefined : String(text)
      })
  }
}

/** Temporary space in a file of SQLite, in its folder for temporary files. */
export const temporaryLists: Effect.Effect<TemporaryLists, StorageError, Scope.Scope> = Effect.map(
  Effect.acquireRelease(Effect.try({ try: open, catch: temporaryFileError }), (database) =>
    Effect.sync(() => database.close())
  ),
  operations
)
