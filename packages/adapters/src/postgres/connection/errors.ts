import {
  CommitUnknown,
  InternalError,
  ShuttingDown,
  StorageBusy,
  StorageFull,
  StorageUnavailable,
  ValidationFailed
} from "@petstore/core/domain"
import { awaiting, type StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"

// No SQLSTATE begins with E, and the codes of Node.js do: EPIPE, for example.
const statePattern = /^(?!E)[0-9A-Z]{5}$/

/** The SQLSTATE of an error of the server; undefined for other errors. A library may have wrapped the error in its own. */
export const sqlState = (cause: unknown): string | undefined => {
  if (typeof cause !== "object" || cause === null) return undefined
  if ("code" in cause && typeof cause.code === "string" && statePattern.test(cause.code)) return cause.code
  return "cause" in cause ? sqlState(cause.cause) : undefined
}

const serializationFailure = "40001"
const deadlock = "40P01"
const lockNotAvailable = "55P03"
const queryCanceled = "57014"
const tooManyConnections = "53300"
const readOnlyTransaction = "25006"
const outOfMemory = "53200"
const fullDisk = "53100"
/** A text has a character that the database, or a conversion in it, does not have. */
const unknownCharacters = ["22021", "22P05"]
/** The role, its password, its database or its rights are not as the options say. */
const refusals = ["3D000", "42501"]
/** A named statement is not there, or already is: a pooler that does not carry names, which nothing else shows. */
const namedStatements = ["26000", "42P05"]
const transactionTimeouts = ["25P03", "25P04", "57P05"]

/** Whether the connection is gone or about to be: the statement has no result from the server, or the server shuts down. */
export const isConnectionLoss = (cause: unknown): boolean => {
  const state = sqlState(cause)
  if (state === undefined) return !(cause instanceof TypeError)
  return state.startsWith("08") || state.startsWith("57P") || transactionTimeouts.includes(state)
}

/** Whether the server takes no writes: it became a standby, or is set so. Another host of the URL may take them. */
export const isReadOnly = (cause: unknown): boolean => sqlState(cause) === readOnlyTransaction

/** Whether the server rolled the transaction back because of others at the same time, so that it may succeed when it runs again. */
export const isConflict = (cause: unknown): boolean => [serializationFailure, deadlock].includes(sqlState(cause) ?? "")

/** Whether another transaction held a lock for too long. */
export const isLockTimeout = (cause: unknown): boolean => sqlState(cause) === lockNotAvailable

/** Whether the server, the database or the role has as many connections as it may have. */
export const hasNoConnectionLeft = (cause: unknown): boolean => sqlState(cause) === tooManyConnections

/** Whether the server lacks memory, space or connections, or cannot read or write its files. */
export const isResourceShortage = (cause: unknown): boolean => /^5[38]/.test(sqlState(cause) ?? "")

/** Whether a statement has no name on the server, or the name has been taken, as on connections that a pooler lends in turn. */
export const lacksNames = (cause: unknown): boolean => namedStatements.includes(sqlState(cause) ?? "")

const isRefusal = (state = ""): boolean => state.startsWith("28") || refusals.includes(state)

const poolerWithoutNames =
  "A pooler before the server does not carry named statements, like PgBouncer before 1.21. Nothing was changed. Set the option prepare: false, or add ?prepare=false to the URL."

const unstorable = "The input has a character that the database cannot store. Nothing was changed; leave it out."

const noMemory =
  "The database server is out of memory. Nothing was changed; try again, and give the server more memory or fewer connections."

const limitReached =
  "The database server has reached a limit of its own. Nothing was changed; the reason is in the log. If it is about transaction ids, vacuum the database; if it is about a configured limit, raise it."

/** The storage error for something that a statement threw. Nothing of its transaction is stored. */
export const statementError = (cause: unknown): StorageError => {
  if (isStorageError(cause)) return cause
  const state = sqlState(cause)
  if (isConnectionLoss(cause) || isConflict(cause)) return new StorageBusy({}, { cause })
  if ([lockNotAvailable, queryCanceled, tooManyConnections].includes(state ?? "")) return new StorageBusy({}, { cause })
  if (isReadOnly(cause) || isRefusal(state)) return new StorageUnavailable({}, { cause })
  if (lacksNames(cause)) return new StorageUnavailable({}, { message: poolerWithoutNames, cause })
  if (unknownCharacters.includes(state ?? "")) return new ValidationFailed({}, { message: unstorable, cause })
  if (state === outOfMemory) return new StorageBusy({}, { message: noMemory, cause })
  if (state === fullDisk) return new StorageFull({}, { cause })
  if (/^5[34]/.test(state ?? "")) return new StorageUnavailable({}, { message: limitReached, cause })
  if (state?.startsWith("58")) return new StorageUnavailable({}, { cause })
  return new InternalError({}, { cause })
}

/** A statement was not sent, because its connection was lost before. */
export class NotSent extends Error {
  override readonly name = "NotSent"

  constructor() {
    super("The connection was lost before")
  }
}

/**
 * The storage error for a `COMMIT` that threw. The outcome is unknown if the statement was sent and the connection was lost
 * before the response.
 */
export const commitError = (cause: unknown): StorageError =>
  isConnectionLoss(cause) && !(cause instanceof NotSent) ? new CommitUnknown({}, { cause }) : statementError(cause)

const classes = [
  StorageBusy,
  StorageFull,
  StorageUnavailable,
  CommitUnknown,
  ShuttingDown,
  InternalError,
  ValidationFailed
]

const isStorageError = (cause: unknown): cause is StorageError => classes.some((type) => cause instanceof type)

/** Runs asynchronous work with the storage error for what it throws. */
export const orStorageError = <A>(work: () => Promise<A>): Effect.Effect<A, StorageError> =>
  awaiting(work, statementError)
