import { CommitUnknown, InternalError, StorageBusy, StorageFull } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import { isBusy, isReadOnly, requestError, statementError } from "../connection/errors.ts"

const otherWriter =
  "Another connection writes to the database, or has written since this transaction of the host began to read. Roll it back and begin it again; begin transactions that write with BEGIN IMMEDIATE."

const readOnly =
  "The host's connection can only read, and this call writes. Give it the transaction of a connection that can write."

export const notOpen =
  "The host's connection has no open transaction: none was begun, or it is over. Begin one with BEGIN IMMEDIATE, and await the call before COMMIT."

export const ended =
  "The host's transaction ended while this call ran in it, so nothing of the call has happened. Await each call before the transaction ends."

const rolledBack = "SQLite has rolled back the host's whole transaction with it. Begin it again."

const mayBeRolledBack =
  "SQLite may have rolled back the host's whole transaction with it. Roll it back and begin it again."

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

/** What it means that there was no room for a call in a transaction of a library, which cannot be asked whether it is still open. */
export const lostError = (cause: StorageFull): StorageError =>
  new StorageFull({}, { message: `${cause.message} ${mayBeRolledBack}`, cause })

/** What it means that a trigger of the host left a part of a call behind. */
export const halfError = (cause: unknown): StorageError =>
  new InternalError(
    {},
    {
      message:
        "A trigger of the host stopped this call half-way, by RAISE(FAIL). The transaction cannot be committed: roll it back. Let the trigger use RAISE(ABORT).",
      cause
    }
  )

/** Libraries put errors of their own around that of the database. */
const innermost = (error: Error): Error => (error.cause instanceof Error ? innermost(error.cause) : error)

/** What is wrong with a transaction that no statement can be run in. */
export const unusable = (cause: unknown): string =>
  cause instanceof Error ? `${notOpen} The library answered: ${innermost(cause).message}` : notOpen

/** What it means that a library did not answer a statement in time, before the call has written anything. */
export const unresponsiveError = (description: string): StorageError =>
  new StorageBusy(
    {},
    { message: `The library of the host does not answer: ${description}. Nothing of the call has happened.` }
  )

/** What it means that it is not known whether a library has run the statement that writes. */
export const unknownError = (description: string, cause?: unknown): StorageError =>
  new CommitUnknown(
    {},
    {
      message: `It is not known whether the call is a part of the host's transaction: ${description}. Roll the transaction back and begin it again.`,
      cause
    }
  )

/** What it means that a statement of the engine's own failed while the host may have a transaction open. */
export const guestError = (cause: unknown, hostHasTransaction: boolean): StorageError =>
  isBusy(cause) && hostHasTransaction ? new StorageBusy({}, { message: notGiven, cause }) : requestError(cause)
