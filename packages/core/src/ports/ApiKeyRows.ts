import type * as Effect from "effect/Effect"
import type { ApiKey } from "../domain/ApiKey.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** An API key as it is kept: never the secret, only its SHA-256. */
export interface ApiKeyRecord {
  readonly key: ApiKey
  readonly digest: Uint8Array
  /** The secret before the last rotation, and until when it still works. */
  readonly previous?: { readonly digest: Uint8Array; readonly until: string }
  /** A revoked key stays as a tombstone, so that its id is not used again. */
  readonly revoked: boolean
}

/** The API keys, revoked ones included. */
export interface ApiKeyRows {
  /** A key that is not revoked. */
  readonly find: (id: number) => Effect.Effect<ApiKeyRecord | undefined, StorageError>
  /** A key, not revoked, that nobody else can change until the transaction ends. */
  readonly lock: (id: number) => Effect.Effect<ApiKeyRecord | undefined, StorageError, Transaction>
  /** Keys that are not revoked, in ascending id, above `after`. */
  readonly list: (after: number, limit: number) => Effect.Effect<ReadonlyArray<ApiKeyRecord>, StorageError>
  /** Every key ever, revoked ones included, with an id above `after`. */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<ApiKeyRecord>, StorageError>
  /** Whether a key other than this one has the scope admin, is not revoked and has not expired at the moment `at`. Holds off others that revoke admin keys until the transaction ends. */
  readonly otherAdminExists: (id: number, at: string) => Effect.Effect<boolean, StorageError, Transaction>
  /** Adds a key and answers its new id. */
  readonly insert: (
    key: Omit<ApiKeyRecord, "key"> & { readonly key: Omit<ApiKey, "id"> }
  ) => Effect.Effect<number, StorageError, Transaction>
  /** Replaces the row of a locked key. */
  readonly save: (key: ApiKeyRecord) => Effect.Effect<void, StorageError, Transaction>
  /** Notes when a key was last used. */
  readonly touch: (id: number, at: string) => Effect.Effect<void, StorageError, Transaction>
}
