import {
  CommitUnknown,
  InternalError,
  ShuttingDown,
  StorageBusy,
  StorageFull,
  StorageUnavailable
} from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"

const damaged =
  "The database file cannot be read: it is damaged, its disk fails, or another program has changed its -wal. Its operator can find out what is wrong with `petstore verify`, after all processes that use it were stopped."

// Primary result codes of SQLite.
const ERROR = 1
const BUSY = 5
const LOCKED = 6
const NOMEM = 7
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const PROTOCOL = 15
const NOTADB = 26

// Extended result codes.
const IOERR_WRITE = IOERR | (3 << 8)

/** The codes by the names that drivers other than `node:sqlite` give them, such as SQLITE_IOERR_WRITE. */
const codes: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ERROR,
    BUSY,
    LOCKED,
    NOMEM,
    READONLY,
    IOERR,
    CORRUPT,
    FULL,
    CANTOPEN,
    PROTOCOL,
    NOTADB,
    IOERR_WRITE
  })
)

const namedCode = (name: unknown): number | undefined => {
  const [, extended = "", primary = ""] = /^SQLITE_(([A-Z]+).*)/.exec(String(name)) ?? []
  return codes.get(extended) ?? codes.get(primary)
}

/** The extended result code of SQLite. A library may have wrapped the error in its own. */
const extendedCode = (cause: unknown): number => {
  if (typeof cause !== "object" || cause === null) return 0
  if ("errcode" in cause && typeof cause.errcode === "number") return cause.errcode
  const named = "code" in cause ? namedCode(cause.code) : undefined
  return named ?? ("cause" in cause ? extendedCode(cause.cause) : 0)
}

const resultCode = (cause: unknown): number => extendedCode(cause) & 0xff

/** Whether bytes could not be written, because there is no room or the disk fails. */
export const isUnwritten = (cause: unknown): boolean => extendedCode(cause) === IOERR_WRITE

/** Whether another connection held a lock. */
export const isBusy = (cause: unknown): boolean => {
  const code = resultCode(cause)
  return code === BUSY || code === LOCKED
}

/** Whether there was no room to write. */
export const isFull = (cause: unknown): boolean => resultCode(cause) === FULL

/** Whether the connection may only read. */
export const isReadOnly = (cause: unknown): boolean => resultCode(cause) === READONLY

/** Whether a check failed because of what is in the file: a damaged page, or a value for which a CHECK throws. */
export const isDamage = (cause: unknown): cause is Error =>
  cause instanceof Error && [CORRUPT, ERROR].includes(resultCode(cause))

/** Whether the system has failed to read or write a file. */
export const isDiskError = (cause: unknown): boolean => resultCode(cause) === IOERR

/** Whether the process lacks the permission to open or write to a file. */
export const isNoAccess = (cause: unknown): boolean => [READONLY, CANTOPEN].includes(resultCode(cause))

/** Whether a page of a database is damaged or not there. */
export const isCorrupt = (cause: unknown): boolean => resultCode(cause) === CORRUPT

/** Whether a file has another content than a database. */
export const isNotDatabase = (cause: unknown): boolean => resultCode(cause) === NOTADB

/** Whether a page that was read is no page of the database. */
export const isUnreadable = (cause: unknown): boolean => [CORRUPT, NOTADB].includes(resultCode(cause))

/** What keeps SQLite from using files that may be sound: the disk, memory, the files a process may open or write to, and locks. */
const failures: ReadonlySet<number> = new Set([IOERR, NOMEM, READONLY, CANTOPEN, PROTOCOL])

const isClosed = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_INVALID_STATE"

/** The storage error for what a statement throws. A connection is closed only when its store is. */
export const statementError = (cause: unknown): StorageError => {
  if (cause instanceof StorageUnavailable || cause instanceof ShuttingDown) return cause
  if (isBusy(cause)) return new StorageBusy({}, { cause })
  if (isClosed(cause)) return new ShuttingDown({}, { cause })
  if (isFull(cause)) return new StorageFull({}, { cause })
  return failures.has(resultCode(cause)) ? new StorageUnavailable({}, { cause }) : new InternalError({}, { cause })
}

/** The error of a statement of a request: if the files are damaged, the store is unavailable. */
export const requestError = (cause: unknown): StorageError =>
  isUnreadable(cause) ? new StorageUnavailable({}, { message: damaged, cause }) : statementError(cause)

/**
 * The storage error for what a COMMIT throws. After most I/O errors it is unknown what reached the disk. Not if writing itself
 * failed: the log then lacks a part of the frame that ends the transaction, so that readers ignore the frames before it.
 */
export const commitError = (cause: unknown, explain = statementError): StorageError =>
  resultCode(cause) === IOERR && !isUnwritten(cause) ? new CommitUnknown({}, { cause }) : explain(cause)
