import type * as Effect from "effect/Effect"
import type { IdempotencyInProgress } from "../domain/errors/RequestErrors.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** The one effect of an idempotency key of an account. */
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

/** The answers that are kept for repetitions under an idempotency key. */
export interface IdempotencyRows {
  /** The record of a key, and the right to be the one who writes it until the transaction ends. Fails where a twin holds that right for longer than 3 s. */
  readonly lock: (
    accountId: number,
    key: string
  ) => Effect.Effect<IdempotencyRecord | undefined, IdempotencyInProgress | StorageError, Transaction>
  /** Writes the record of a locked key, in place of an expired one if there is one. */
  readonly save: (record: IdempotencyRecord) => Effect.Effect<void, StorageError, Transaction>
  /**
   * Removes at most `limit` records written before `createdAt`. It waits for no lock: records that another transaction
   * has locked stay for the next time.
   */
  readonly purge: (createdAt: string, limit: number) => Effect.Effect<void, StorageError, Transaction>
  /** Every record in ascending (accountId, key), behind that pair; keys by their code units. */
  readonly scan: (
    after: { readonly accountId: number; readonly key: string },
    limit: number
  ) => Effect.Effect<ReadonlyArray<IdempotencyRecord>, StorageError>
}
