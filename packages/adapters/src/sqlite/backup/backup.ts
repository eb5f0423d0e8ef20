import { randomUUID } from "node:crypto"
import { lstatSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { open, rename } from "node:fs/promises"
import { dirname, join } from "node:path"
import process from "node:process"
import type { BackupProgressInfo } from "node:sqlite"
import { InternalError } from "@petstore/core/domain"
import { BackupProgress, type StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { type Connection, nodeSqlite } from "../connection/Connection.ts"
import { isBusy, requestError } from "../connection/errors.ts"
import type { Snapshots } from "../connection/Snapshots.ts"
import { headPath } from "../events/EventLogHead.ts"

/** Milliseconds without a write after which a copy is surely not being made. */
const staleMillis = 60_000

const copyName = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.partial$/

/** Removes a copy, and the files of SQLite next to it. */
const removeCopy = (copy: string): void => {
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
const removeAbandonedCopies = (folder: string): void => {
  for (const name of readdirSync(folder).filter((name) => copyName.test(name))) {
    const copy = join(folder, name)
    try {
      if (isAbandoned(copy)) removeCopy(copy)
    } catch {
      // Another process has removed it, or it belongs to another user.
    }
  }
}

/** Pages (4 MB) that are copied at a time: the longest wait of the event loop, and of a caller that is interrupted. */
const pagesAtOnce = 1000

const failed = (file: string, why: unknown): InternalError =>
  new InternalError({}, { message: `Cannot write ${file}: ${why instanceof Error ? why.message : why}`, cause: why })

/** Whether there is anything of this name, even a link that leads nowhere. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** Copies the state that a connection reads, in steps. An interruption ends the copy after its step. */
const copy = ({ database }: Connection, partial: string): Effect.Effect<void, unknown> =>
  Effect.flatMap(BackupProgress, (show) =>
    Effect.callback((resume) => {
      let isInterrupted = false
      const progress = ({ remainingPages, totalPages }: BackupProgressInfo): void => {
        if (isInterrupted) throw new Error("The copy was interrupted")
        show(1 - remainingPages / totalPages)
      }
      const copying = nodeSqlite().backup(database, partial, { rate: pagesAtOnce, progress })
      const settled = copying.then(
        () => resume(Effect.void),
        (cause: unknown) => resume(Effect.fail(cause))
      )
      return Effect.promise(() => {
        isInterrupted = true
        return settled
      })
    })
  )

/** Makes the content of a file, or the names in a folder, durable. */
const sync = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Renames a complete copy, durably. */
const publish = async (partial: string, file: string): Promise<void> => {
  await sync(partial)
  await rename(partial, file)
  // Windows cannot open folders, and needs no sync of them.
  if (process.platform !== "win32") await sync(dirname(file))
}

/**
 * Copies what is committed now to a new file that only its owner may read. The copy receives its name when it is complete and
 * durable, so that a file of this name is always a sound one. An interruption before that leaves no file.
 */
export const backup = (snapshots: Snapshots, file: string): Effect.Effect<void, StorageError> => {
  const partial = `${file}.${randomUUID()}.partial`
  const writing = <A>(act: () => A) => Effect.try({ try: act, catch: (cause) => failed(file, cause) })
  const prepare = (prefix: string) =>
    writing(() => {
      if (isThere(file)) throw new Error("the file exists. Name one that does not exist.")
      // SQLite would take what they contain for changes of the backup.
      const left = ["-wal", "-shm", "-journal"].map((suffix) => file + suffix).find(isThere)
      if (left !== undefined)
        throw new Error(`${left} is left of an earlier file of this name. Delete it, or name another file.`)
      removeAbandonedCopies(dirname(file))
      // Of an earlier file of this name.
      rmSync(headPath(file, prefix), { force: true })
      writeFileSync(partial, "", { flag: "wx", mode: 0o600 })
    })
  return Effect.acquireUseRelease(
    Effect.mapError(snapshots.begin, (error) => (error._tag === "InternalError" ? requestError(error.cause) : error)),
    // From within a snapshot: a copy of the live state would start again with every commit.
    ({ connection }) =>
      Effect.andThen(
        prepare(connection.prefix),
        Effect.mapError(copy(connection, partial), (cause) => failed(file, cause))
      ),
    (session) => snapshots.end(session)
  ).pipe(
    Effect.andThen(
      Effect.uninterruptible(
        Effect.tryPromise({ try: () => publish(partial, file), catch: (cause) => failed(file, cause) })
      )
    ),
    Effect.onExit((exit) => (exit._tag === "Failure" ? Effect.ignore(writing(() => removeCopy(partial))) : Effect.void))
  )
}
