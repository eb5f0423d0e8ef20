import { CommitUnknown, InternalError, StorageBusy, StorageFull } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import { isBusy, isReadOnly, statementError } from "./errors.ts"

const otherWriter =
  "Another connection writes to the database, or has written since this transaction of the host began to read. Roll it back and begin it again; begin transactions that write with BEGIN IMMEDIATE."

const readOnly =
  "The host's connection can only read, and this call writes. Give it the transaction of a connection that can write."

export const notOpen =
  "The host's connection has no open transaction: none was begun, or it is over. Begin one with BEGIN IMMEDIATE, and await the call before COMMIT."

const endedEarly =
  "The host's transaction ended while this call ran in it, so it is not known what of the call was committed. Await each call before the transaction ends."

const rolledBack = "SQLite has rolled back the host's whole transaction with it. Begin it again."

const notGiven =
  "The database is locked for writing, and the host has a transaction open on its own connection that this call was not given. Give it that transaction, as { transaction }, or commit first."

/** What it means that a statement failed in a transaction of the host, and whether that has ended with it. */
export const hostError = (cause: unknown, hasEnded = false): StorageError => {
  if (isBusy(cause)) return new StorageBusy({}, { message: otherWriter, cause })
  if (isReadOnly(cause)) return new InternalError({}, { message: readOnly, cause })
  const error = statementError(cause)
  if (!hasEnded) return error
  const extras = { message: `${error.message} ${rolledBack}`, cause }
  return error instanceof StorageFull ? new StorageFull({}, extras) : new InternalError({}, extras)
}

/** What it means that the transaction of the host was over before a call in it was, which failed with this if it failed. */
export const endedError = (cause: unknown): StorageError =>
  cause instanceof StorageFull
    ? new StorageFull({}, { message: `${cause.message} ${rolledBack}`, cause })
    : new CommitUnknown({}, { message: endedEarly, cause })

/** What it means that a statement of the engine's own failed while the host may have a transaction open. */
export const guestError = (cause: unknown, hostHasTransaction: boolean): StorageError =>
  isBusy(cause) && hostHasTransaction ? new StorageBusy({}, { message: notGiven, cause }) : statementError(cause)
