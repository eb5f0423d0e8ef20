import { CommitUnknown, InternalError, StorageBusy, StorageUnavailable } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import { databaseMessage, otherDatabase } from "../../sql/JoinedTransactions.ts"
import { isConnectionLoss, sqlState, statementError } from "../connection/errors.ts"

export const notOpen =
  "The connection has no open transaction: none was begun, or it has ended. Begin one, and await the call before COMMIT."

export const ended =
  "The transaction ended while this call ran in it, or was rolled back to a savepoint from before, so nothing of the call has happened. Await each call before you end the transaction or a savepoint."

const aborted =
  "A statement of the transaction has failed, so PostgreSQL accepts nothing in it but ROLLBACK. Nothing of the call has happened."

const otherLevel = (level: string): string =>
  `The isolation level of the transaction is ${level}; the petstore needs READ COMMITTED. It locks rows and then reads what was committed before, which a snapshot from before the lock does not contain.`

const busyRow =
  "Another transaction holds a row or a name that the call needs. Nothing of the call has happened; the transaction is still open."

const readOnly = "The transaction is read-only, and the call writes. Nothing of the call has happened."

const foreignKeyViolation = "23503"
const failedTransaction = "25P02"
const readOnlyTransaction = "25006"
const insufficientPrivilege = "42501"
const waits = ["55P03", "40P01"]
const uniqueViolation = "23505"
/** What is not there: a schema, a function. */
const unknownNames = ["3F000", "42883", "42P01"]

/** The TypeError for a transaction with this isolation level. */
export const wrongLevel = (level: string): TypeError => new TypeError(otherLevel(level))

/** An error of the server that a function caught, as a driver throws errors. */
export class CaughtError extends Error {
  readonly code: string

  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message)
    this.code = code
  }
}

/** Whether a name is taken by a connection that does not reserve names, as the message says: it contains the name of the index. */
const isTaken = ({ code, message }: CaughtError): boolean => code === uniqueViolation && message.includes("petstore_")

/** The error of a step that was rolled back alone. */
export const stepError = (cause: CaughtError): StorageError => {
  if (waits.includes(cause.code) || isTaken(cause)) return new StorageBusy({}, { message: busyRow, cause })
  if (cause.code === insufficientPrivilege) return notAllowed(cause)
  if (cause.code === readOnlyTransaction) return new InternalError({}, { message: readOnly, cause })
  return statementError(cause)
}

const notAllowed = (cause: unknown): StorageError =>
  new StorageUnavailable(
    {},
    {
      message: `The role of your connection may not use the tables of the petstore: ${databaseMessage(cause)}. Grant it the rights on the schema.`,
      cause
    }
  )

/** Whether the connection of the host application is lost, as the server or the driver says. */
export const isLost = (cause: unknown): boolean => {
  if (!(cause instanceof Error)) return false
  if (sqlState(cause) !== undefined) return isConnectionLoss(cause)
  return (
    /^E[A-Z]+$|^CONNECTION_/.test(String("code" in cause ? cause.code : "")) ||
    /connection (?:terminated|error|ended|closed|reset)|not queryable|client was closed|socket/i.test(cause.message) ||
    isLost(cause.cause)
  )
}

/**
 * The error of a step that the library rejected, and of which nothing was done: a StorageError, or a TypeError for what the
 * caller did.
 */
export const libraryError = (cause: unknown, isFirst: boolean, address: string): StorageError | TypeError => {
  const state = sqlState(cause)
  if (state === failedTransaction) return new TypeError(aborted, { cause })
  if (isFirst && state === foreignKeyViolation) return new TypeError(notOpen, { cause })
  if (isFirst && unknownNames.includes(state ?? "")) {
    return new TypeError(`${otherDatabase("one without this petstore", address)} ${databaseMessage(cause)}`, { cause })
  }
  if (state === insufficientPrivilege) return notAllowed(cause)
  if (state !== undefined || isLost(cause)) return statementError(cause)
  // Libraries reject statements for a transaction that has ended.
  return new TypeError(`${isFirst ? notOpen : ended} The library reported: ${databaseMessage(cause)}`, { cause })
}

/** The error of a call of which it is unknown whether the connection has run the statement that writes. */
export const unknownError = (cause: unknown): StorageError =>
  new CommitUnknown(
    {},
    {
      message:
        "It is unknown whether the call is part of the transaction: its connection was lost or did not respond. Roll the transaction back and begin it again.",
      cause
    }
  )

/** The error of a call that waited for another one in its transaction. */
export const otherCall = (): StorageError =>
  new StorageBusy(
    {},
    {
      message:
        "Timed out waiting for another call in the same transaction. Await each call before you begin or end a savepoint."
    }
  )
