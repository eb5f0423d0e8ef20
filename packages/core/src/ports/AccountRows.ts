import type * as Effect from "effect/Effect"
import type { Account } from "../domain/Account.ts"
import type { Duplicate, StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** Stores the accounts. */
export interface AccountRows {
  readonly find: (id: number) => Effect.Effect<Account | undefined, StorageError>
  /** The account whose name compares equal to this one. */
  readonly findByName: (nameKey: string) => Effect.Effect<Account | undefined, StorageError>
  /** Accounts in ascending id, above `after`. */
  readonly list: (after: number, limit: number) => Effect.Effect<ReadonlyArray<Account>, StorageError>
  /** Adds an account and returns its id. Fails with {@link Duplicate} if the name is taken. */
  readonly insert: (
    account: Omit<Account, "id"> & { readonly nameKey: string }
  ) => Effect.Effect<number, Duplicate | StorageError, Transaction>
}
