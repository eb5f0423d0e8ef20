import type * as Effect from "effect/Effect"
import type { PetDetails } from "../domain/Pet.ts"
import type { PetStatus, Stock } from "../domain/Stock.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** A pet and its stock: one row, one lock. */
export interface PetRecord extends PetDetails {
  readonly id: number
  /** Raised when the pet is answered differently. */
  readonly version: number
  readonly stock: Stock
  /** Raised when the inventory item is answered differently. */
  readonly stockVersion: number
  /** The `seq` of the pet's latest movement in the ledger. */
  readonly lastMovement: number
  /** A deleted pet stays as a tombstone, so that its id and its ledger do. */
  readonly deleted: boolean
}

/** Which live pets: in ascending id or, with a `name`, in the order of names and then ids. Names compare by code points. */
export interface PetQuery {
  readonly status?: PetStatus | undefined
  readonly categoryId?: number | undefined
  /** Prefix of the name; case matters. */
  readonly name?: string | undefined
  readonly ids?: ReadonlyArray<number> | undefined
  /** Only pets behind the one with this id; 0 for the first page. */
  readonly after: number
  /** The name of the pet that `after` identifies; needed with `name` on every page but the first. It starts with `name`. */
  readonly afterName?: string | undefined
  readonly limit: number
}

/** The pets with their stock. Deleted ones stay, so that no id is given twice. */
export interface PetRows {
  /** A live pet. */
  readonly find: (id: number) => Effect.Effect<PetRecord | undefined, StorageError>
  /** A live pet that nobody else can change until the transaction ends. */
  readonly lock: (id: number) => Effect.Effect<PetRecord | undefined, StorageError, Transaction>
  readonly list: (query: PetQuery) => Effect.Effect<ReadonlyArray<PetRecord>, StorageError>
  /** Whether a live pet belongs to the category. */
  readonly anyInCategory: (categoryId: number) => Effect.Effect<boolean, StorageError>
  /** Adds a pet and answers its new id. */
  readonly insert: (pet: Omit<PetRecord, "id">) => Effect.Effect<number, StorageError, Transaction>
  /** Replaces the row of a locked pet. */
  readonly save: (pet: PetRecord) => Effect.Effect<void, StorageError, Transaction>
  /** Replaces only the stock, its version and `lastMovement` of a locked pet whose status stays: the cheap and common case. */
  readonly saveStock: (pet: PetRecord) => Effect.Effect<void, StorageError, Transaction>
  /** Every pet ever, tombstones included, with an id above `after`. */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<PetRecord>, StorageError>
}
