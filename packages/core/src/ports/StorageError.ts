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
 * {@link InternalError} is the error of the database engine.
 */
export type StorageError = StorageBusy | StorageFull | StorageUnavailable | CommitUnknown | ShuttingDown | InternalError
