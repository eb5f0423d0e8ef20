import type { ValidationFailed } from "../domain/errors/InputErrors.ts"
import type {
  CommitUnknown,
  InternalError,
  ShuttingDown,
  StorageBusy,
  StorageFull,
  StorageUnavailable
} from "../domain/errors/ServiceErrors.ts"

/**
 * The errors of a store. With all but {@link CommitUnknown}, nothing of the transaction was stored. The `cause` of an
 * {@link InternalError} is the error of the database engine. {@link ValidationFailed} is for text that the database cannot store.
 */
export type StorageError =
  | StorageBusy
  | StorageFull
  | StorageUnavailable
  | CommitUnknown
  | ShuttingDown
  | InternalError
  | ValidationFailed
