import type * as Effect from "effect/Effect"
import type { Account } from "../domain/Account.ts"
import type { Duplicate, StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** The accounts. */
export interface AccountRows {
  readonly find: (id: number) => Effect.Effect<Account | undefined, StorageError>
  /** The account whose name compares equal. */
  readonly findByName: (nameKey: string) => Effect.Effect<Account | undefined, StorageError>
  /** Accounts in ascending id, above `after`. */
  readonly list: (after: number, limit: number) => Effect.Effect<ReadonlyArray<Account>, StorageError>
  /** Adds an account and answers its new id. */
  readonly insert: (
    account: Omit<Account, "id"> & { readonly nameKey: string }
  ) => Effect.Effect<number, Duplicate | StorageError, Transaction>
}
