import * as Data from "effect/Data"
import type {
  CommitUnknown,
  InternalError,
  ShuttingDown,
  StorageBusy,
  StorageFull,
  StorageUnavailable
} from "../domain/errors/ServiceErrors.ts"

/**
 * How a store fails. All but {@link CommitUnknown} promise that nothing of the transaction is left behind;
 * {@link InternalError} carries what the engine underneath said as its cause.
 */
export type StorageError = StorageBusy | StorageFull | StorageUnavailable | CommitUnknown | ShuttingDown | InternalError

/** A row with this unique value exists already. */
export class Duplicate extends Data.TaggedError("Duplicate")<{ readonly value: string }> {}
