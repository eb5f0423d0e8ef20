import type * as Effect from "effect/Effect"
import type { IdempotencyInProgress } from "../domain/errors/RequestErrors.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** What an idempotency key of an account was used for, with the result. */
export interface IdempotencyRecord {
  readonly accountId: number
  readonly key: string
  readonly operation: string
  /** SHA-256 of the decoded input. */
  readonly fingerprint: Uint8Array
  /** The stored result, as JSON. */
  readonly result: string
  readonly createdAt: string
}

/** Stores the results that are returned again when a call repeats its idempotency key. */
export interface IdempotencyRows {
  /** Locks a key until the transaction ends, and returns its record. Fails with {@link IdempotencyInProgress} if another transaction holds the lock for more than 3 s. */
  readonly lock: (
    accountId: number,
    key: string
  ) => Effect.Effect<IdempotencyRecord | undefined, IdempotencyInProgress | StorageError, Transaction>
  /** Writes the record of a locked key. Replaces an expired one. */
  readonly save: (record: IdempotencyRecord) => Effect.Effect<void, StorageError, Transaction>
  /**
   * Removes at most `limit` records that were written before `createdAt`. Does not wait for locks: skips records that
   * another transaction has locked.
   */
  readonly purge: (createdAt: string, limit: number) => Effect.Effect<void, StorageError, Transaction>
  /** All records in ascending (accountId, key), above that pair. Keys compare by their code units. */
  readonly scan: (
    after: { readonly accountId: number; readonly key: string },
    limit: number
  ) => Effect.Effect<ReadonlyArray<IdempotencyRecord>, StorageError>
}
