import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { nodeSqlite } from "../connection/Connection.ts"
import { isBusy } from "../connection/errors.ts"

/** Milliseconds without a write after which a copy is surely not being made. */
const staleMillis = 60_000

const copyName = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.partial$/

/** Removes a copy, and the files of SQLite next to it. */
export const removeCopy = (copy: string): void => {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(copy + suffix, { force: true })
}

/** Whether no process makes or reads this copy. One that does holds a lock on it. */
const isAbandoned = (copy: string): boolean => {
  if (Date.now() - statSync(copy).mtimeMs < staleMillis) return false
  const database = new (nodeSqlite().DatabaseSync)(copy)
  try {
    database.exec("BEGIN EXCLUSIVE; ROLLBACK")
    return true
  } catch (cause) {
    return !isBusy(cause)
  } finally {
    database.close()
  }
}

/** Removes the unfinished backups that killed processes have left in a folder. */
export const removeAbandonedCopies = (folder: string): void => {
  for (const name of readdirSync(folder).filter((name) => copyName.test(name))) {
    const copy = join(folder, name)
    try {
      if (isAbandoned(copy)) removeCopy(copy)
    } catch {
      // Another process has removed it, or it belongs to another user.
    }
  }
}
