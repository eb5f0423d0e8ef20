import { InternalError, StorageBusy, StorageFull } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import { databaseMessage } from "../../sql/JoinedTransactions.ts"
import { isBusy, isReadOnly, requestError, statementError } from "../connection/errors.ts"

const otherWriter =
  "Another connection writes to the database, or has written since this transaction began to read. Roll it back and begin it again; begin transactions that write with BEGIN IMMEDIATE."

const readOnly =
  "The connection of this transaction is read-only, and the call writes. Pass the transaction of a connection that can write."

export const notOpen =
  "The connection has no open transaction: none was begun, or it has ended. Begin one with BEGIN IMMEDIATE, and await the call before COMMIT."

export const notAccepted =
  "The petstore does not know the connection of this transaction. Open the petstore with sqlite({ database }), or call acceptCalls(database) when you have opened it."

const rolledBack = "SQLite has rolled back the whole transaction. Begin it again."

const notGiven =
  "The database is locked for writing, perhaps by the transaction that is open on the connection of your app. Pass that transaction to the call, as { transaction }, or commit first. petstore.transaction is a transaction of its own: make its calls in that of your app instead."

/** The error of a statement in a transaction of the host application, which may have ended with it. */
export const hostError = (cause: unknown, hasEnded: boolean): StorageError => {
  if (isBusy(cause)) return new StorageBusy({}, { message: otherWriter, cause })
  if (isReadOnly(cause)) return new InternalError({}, { message: readOnly, cause })
  const error = statementError(cause)
  if (!hasEnded) return error
  const extras = { message: `${error.message} ${rolledBack}`, cause }
  return error instanceof StorageFull ? new StorageFull({}, extras) : new InternalError({}, extras)
}

/** The message for a transaction that runs no statement. */
export const unusable = (cause: unknown): string =>
  cause instanceof Error ? `${notOpen} The library reported: ${databaseMessage(cause)}` : notOpen

/** The error of a statement on a connection of the petstore, while the host application may have a transaction open. */
export const guestError = (cause: unknown, hostHasTransaction: boolean): StorageError =>
  isBusy(cause) && hostHasTransaction ? new StorageBusy({}, { message: notGiven, cause }) : requestError(cause)
