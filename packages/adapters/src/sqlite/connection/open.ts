import { chmodSync, existsSync, lstatSync, readlinkSync, statSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { InternalError, ShuttingDown, StorageBusy, StorageFull } from "@petstore/core/domain"
import { SchemaProgress, type StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { headAdvice, headPath, headProblem, readHead, withoutLinks } from "../events/EventLogHead.ts"
import { migrate, requireMigrated } from "../schema/migrate.ts"
import { retryByTimer, retryWhileBusy } from "./busyRetry.ts"
import { Connection, type ConnectionSettings, defaultPrefix, nodeSqlite } from "./Connection.ts"
import { configure } from "./configure.ts"
import { isBusy, isCorrupt, isDiskError, isNoAccess, isNotDatabase, statementError } from "./errors.ts"
import { cutProblem, logHeaderBytes } from "./missingPages.ts"
import { otherKind } from "./regularFile.ts"

/** A connection that can only read. Throws. */
export const openReader = (file: string, settings: ConnectionSettings = {}): Connection => {
  const { DatabaseSync } = nodeSqlite()
  return new Connection(new DatabaseSync(file, { readOnly: true }), settings)
}

const noDatabase = ". It may be of another kind, or encrypted. Correct the path; the file was not changed."

const damaged = ". Restore the latest backup in which `petstore verify` finds no violation."

const noAccess =
  ". Its folder must exist, and this process must be allowed to write to the folder and to the files in it."

const noWrites = ". The disk is full or fails, or this process may only write smaller files (`ulimit -f`)."

const advices = [
  [isCorrupt, damaged],
  [isNotDatabase, noDatabase],
  [isNoAccess, noAccess],
  [isDiskError, noWrites]
] as const

/** Names the file that cannot be used, the reason, and what to do unless the message of SQLite says so. */
const unusable = (file: string, cause: unknown): InternalError => {
  const why = cause instanceof Error ? cause.message : cause
  const advice = advices.find(([applies]) => applies(cause))?.[1] ?? ""
  return new InternalError({}, { message: `Cannot use ${file}: ${why}${advice}`, cause })
}

const inTheWay =
  "The file cannot be opened now: another connection writes to it, locks it (locking_mode = EXCLUSIVE), or reads from it while it changes to write-ahead logging. End that first; it may be a transaction of your own app."

/** The storage error for what opening a file throws. */
export const openingError = (file: string, cause: unknown): StorageError => {
  if (isBusy(cause)) return new StorageBusy({}, { message: inTheWay, cause })
  const error = statementError(cause)
  return error instanceof StorageFull || error instanceof ShuttingDown ? error : unusable(file, cause)
}

/** The bytes of a file that SQLite takes for an empty one. */
const emptyBytes = 1

/** The permissions of a new database. SQLite gives those of the database to its log and the index of that. */
const ownerOnly = 0o600

/** Creates an empty file that only the owner can read. If that fails, SQLite reports the reason later. */
const createPrivately = (file: string): void => {
  try {
    writeFileSync(file, "", { flag: "wx", mode: ownerOnly })
  } catch {
    // Another process may have created it, or the folder is missing.
  }
}

const connect = (file: string, mayCreate: boolean, settings: ConnectionSettings): Connection => {
  const { DatabaseSync } = nodeSqlite()
  const isNew = !existsSync(file)
  if (isNew && !mayCreate) throw new Error("there is no such file.")
  const folder = dirname(file)
  if (isNew && !existsSync(folder)) {
    throw new Error(`the folder ${folder} does not exist. Create it, or correct the path.`)
  }
  const isLink = isNew && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  const target = isLink ? dirname(resolve(folder, readlinkSync(file))) : folder
  if (!existsSync(target)) {
    throw new Error(`the folder ${target}, into which it is a link, does not exist. Create it, or correct the link.`)
  }
  if (isNew) createPrivately(file)
  const database = new DatabaseSync(file)
  try {
    // SQLite has created the target of a dangling link.
    if (isNew) chmodSync(file, ownerOnly)
  } catch (cause) {
    database.close()
    throw cause
  }
  return new Connection(database, settings)
}

/**
 * Throws if this process may not write to the file. SQLite opens such a file, and even begins a transaction that writes:
 * only a write fails. This one changes nothing.
 */
const requireWritable = (connection: Connection): void => {
  try {
    connection.database.exec(connection.named("DELETE FROM petstore_migrations WHERE FALSE"))
  } catch (cause) {
    // Another connection writes, which this process may do too.
    if (!isBusy(cause)) throw cause
  }
}

const withConnection = <A>(connection: Connection, use: (connection: Connection) => A): A => {
  try {
    return use(connection)
  } finally {
    connection.database.close()
  }
}

/** Whether there is a database in the file. A connection to an empty one, even if it can only read, deletes the log beside it. */
export const hasDatabase = (file: string): boolean => existsSync(file) && statSync(file).size > emptyBytes

/** The files that SQLite has beside a database. */
const besides = ["-wal", "-shm", "-journal"]

/** Why no database must be created beside a log that has changes, which SQLite would delete; undefined if it may. */
const logProblem = (file: string): string | undefined => {
  const log = `${withoutLinks(file)}-wal`
  const { size = 0 } = statSync(log, { throwIfNoEntry: false }) ?? {}
  // Another process may have created the database between the looks.
  return size > logHeaderBytes && !hasDatabase(file)
    ? `it is ${existsSync(file) ? "empty" : "gone"}, and ${log} has changes that were committed. Put the right file back beside it, or, to begin with an empty store, move ${log} away.`
    : undefined
}

/** Whether a path is a link that has no end. */
const isLoop = (path: string): boolean => {
  try {
    statSync(path)
    return false
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "ELOOP"
  }
}

/** Why what is at a path cannot be a database of a petstore; undefined if nothing is there. */
const fileProblem = (file: string): string | undefined => {
  if (isLoop(file)) return "it is a link that leads to itself. Correct the path, or delete it."
  const entry = statSync(file, { throwIfNoEntry: false })
  if (entry?.isDirectory() === true) return "it is a folder. Name a file in it, such as petstore.db."
  if (otherKind(entry) !== undefined) return `it is ${otherKind(entry)}, not a file. Correct the path.`
  // By each name SQLite would use another log, so writes would be lost.
  if (entry !== undefined && entry.nlink > 1)
    return `it is one file with ${entry.nlink} names (hard links). Delete the others, or open a copy; a symbolic link may lead to it.`
  for (const path of besides.map((suffix) => `${withoutLinks(file)}${suffix}`)) {
    const kind = otherKind(lstatSync(path, { throwIfNoEntry: false }))
    if (kind !== undefined) return `${path}, which SQLite needs, is ${kind}, not a file. Move it away.`
  }
}

/**
 * Fails if a part of the files is gone, or events that were committed to them. It only reads: what is left of the files stays as it is,
 * so that others can be put back beside it. Returns why the head of the log shows nothing, and what to do.
 */
export const requireWholeFiles = (
  file: string,
  lockTimeout: number,
  prefix: string = defaultPrefix
): Effect.Effect<string | undefined, StorageError> =>
  retryWhileBusy(
    lockTimeout,
    (cause) => openingError(file, cause),
    retryByTimer,
    () => {
      const problem = fileProblem(file)
      if (problem !== undefined) throw new Error(problem)
      const open = () => openReader(file, { prefix })
      const path = headPath(file, prefix)
      const { latest, problem: unread } = readHead(path)
      const cut = hasDatabase(file) ? cutProblem(file, open) : latest === undefined ? logProblem(file) : undefined
      if (cut !== undefined) throw new Error(cut)
      if (latest === undefined) return unread
      const lacking = hasDatabase(file)
        ? withConnection(open(), (reader) => headProblem(reader, latest))
        : headProblem(undefined, latest)
      if (lacking !== undefined) throw new Error(`${lacking}. ${headAdvice(path)}`)
    }
  )

/**
 * A connection that can write, with every setting applied and the schema up to date: migrated if it `mayMigrate`, else
 * opening an older file fails. Waits up to `lockTimeout` milliseconds for other processes that open the file.
 */
export const openWriter = (
  file: string,
  lockTimeout: number,
  mayMigrate: boolean,
  settings: ConnectionSettings
): Effect.Effect<Connection, StorageError> =>
  Effect.try({ try: () => connect(file, mayMigrate, settings), catch: (cause) => unusable(file, cause) }).pipe(
    Effect.tap((connection) =>
      Effect.flatMap(SchemaProgress, (onStep) =>
        retryWhileBusy(
          lockTimeout,
          (cause) => openingError(file, cause),
          retryByTimer,
          () => {
            configure(connection.database)
            if (mayMigrate) migrate(connection, undefined, onStep)
            else requireMigrated(connection)
            requireWritable(connection)
          }
        )
      ).pipe(Effect.onError(() => Effect.sync(() => connection.database.close())))
    )
  )
