import type * as Effect from "effect/Effect"
import type { ApiKey } from "../domain/ApiKey.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** An API key as it is stored: never the secret, only its SHA-256. */
export interface ApiKeyRecord {
  readonly key: ApiKey
  readonly digest: Uint8Array
  /** The secret before the last rotation, and until when it still works. */
  readonly previous?: { readonly digest: Uint8Array; readonly until: string }
  /** A revoked key stays in the store, so that its id is never used again. */
  readonly revoked: boolean
}

/** Stores the API keys, revoked ones included. */
export interface ApiKeyRows {
  /** A key that is not revoked. */
  readonly find: (id: number) => Effect.Effect<ApiKeyRecord | undefined, StorageError>
  /**
   * The same as `find` for authentication, which reads a key for every request: it may return the key as it was up to a second
   * ago, but finds every key that exists, and shows changes that this store itself has committed at once. Absent if `find`
   * costs little. `arrival`: for a request that arrives, outside of any transaction; the same object for those that were waiting at
   * the same time. What one of them has found unchanged, the others need not look at again. Returns its exit if it has the key.
   */
  readonly findCached?: (id: number, arrival?: object) => Effect.Effect<ApiKeyRecord | undefined, StorageError>
  /** Locks a key that is not revoked: no other transaction can change it until this one ends. */
  readonly lock: (id: number) => Effect.Effect<ApiKeyRecord | undefined, StorageError, Transaction>
  /** Keys that are not revoked, in ascending id, above `after`. */
  readonly list: (after: number, limit: number) => Effect.Effect<ReadonlyArray<ApiKeyRecord>, StorageError>
  /** All keys in ascending id, revoked ones included, above `after`. */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<ApiKeyRecord>, StorageError>
  /** Whether another key than this one has the scope `admin`, is not revoked and has not expired at the time `at`. Until the transaction ends, no other transaction can revoke an admin key. */
  readonly otherAdminExists: (id: number, at: string) => Effect.Effect<boolean, StorageError, Transaction>
  /** Adds a key and returns its id. */
  readonly insert: (
    key: Omit<ApiKeyRecord, "key"> & { readonly key: Omit<ApiKey, "id"> }
  ) => Effect.Effect<number, StorageError, Transaction>
  /** Replaces a locked key. */
  readonly save: (key: ApiKeyRecord) => Effect.Effect<void, StorageError, Transaction>
  /** Sets when a key was last used. */
  readonly touch: (id: number, at: string) => Effect.Effect<void, StorageError, Transaction>
}
