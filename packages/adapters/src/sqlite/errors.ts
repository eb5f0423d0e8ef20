import { CommitUnknown, InternalError, ShuttingDown, StorageBusy, StorageFull } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"

// Primary result codes of SQLite.
const ERROR = 1
const BUSY = 5
const LOCKED = 6
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14

/** What SQLite answered. A library of the host may have put errors of its own around that. */
const resultCode = (cause: unknown): number => {
  if (typeof cause !== "object" || cause === null) return 0
  if ("errcode" in cause && typeof cause.errcode === "number") return cause.errcode & 0xff
  return "cause" in cause ? resultCode(cause.cause) : 0
}

/** Whether SQLite itself refused a statement, so that it has done nothing. */
export const isOfSqlite = (cause: unknown): boolean => resultCode(cause) !== 0

const constraintText = "FOREIGN KEY constraint failed"

/** Whether a reference between tables was broken. */
export const isForeignKeyViolation = (cause: unknown): boolean =>
  cause instanceof Error && (cause.message.includes(constraintText) || isForeignKeyViolation(cause.cause))

/** Whether another connection was in the way. */
export const isBusy = (cause: unknown): boolean => {
  const code = resultCode(cause)
  return code === BUSY || code === LOCKED
}

/** Whether the connection may only read. */
export const isReadOnly = (cause: unknown): boolean => resultCode(cause) === READONLY

/** Whether an inspection fails for what is in the file: a damaged page, or a value for which a CHECK has no answer. */
export const isDamage = (cause: unknown): cause is Error =>
  cause instanceof Error && [CORRUPT, ERROR].includes(resultCode(cause))

/** Whether the process may not open or write to a file that it needs. */
export const isNoAccess = (cause: unknown): boolean => [READONLY, CANTOPEN].includes(resultCode(cause))

const isClosed = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_INVALID_STATE"

/** What a statement failed with. A connection is closed only when its store is. */
export const statementError = (cause: unknown): StorageError => {
  if (isBusy(cause)) return new StorageBusy({}, { cause })
  if (isClosed(cause)) return new ShuttingDown({}, { cause })
  return resultCode(cause) === FULL ? new StorageFull({}, { cause }) : new InternalError({}, { cause })
}

/** What a COMMIT failed with: after an I/O error nobody knows what reached the disk. */
export const commitError = (cause: unknown): StorageError =>
  resultCode(cause) === IOERR ? new CommitUnknown({}, { cause }) : statementError(cause)
