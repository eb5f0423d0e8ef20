import type * as Effect from "effect/Effect"
import type { Category } from "../domain/Category.ts"
import type { Duplicate, StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** A category as it is kept. */
export interface CategoryRecord {
  readonly category: Category
  /** The name as it is compared; unique over live categories. */
  readonly nameKey: string
  readonly version: number
  /** A deleted category stays as a tombstone, so that its id is not used again. */
  readonly deleted: boolean
}

/** A category that has no id yet. */
export interface NewCategoryRecord {
  readonly category: Omit<Category, "id">
  readonly nameKey: string
  readonly version: number
}

/** The categories. Deleted ones stay, so that no id is given twice. */
export interface CategoryRows {
  /** A live category. */
  readonly find: (id: number) => Effect.Effect<CategoryRecord | undefined, StorageError>
  /** The live category with this name. */
  readonly findByName: (nameKey: string) => Effect.Effect<CategoryRecord | undefined, StorageError>
  /** A live category that nobody else can change or delete until the transaction ends. */
  readonly lock: (id: number) => Effect.Effect<CategoryRecord | undefined, StorageError, Transaction>
  /** A live category that nobody else can delete until the transaction ends; others may hold it likewise. */
  readonly lockShared: (id: number) => Effect.Effect<CategoryRecord | undefined, StorageError, Transaction>
  /** Live categories in ascending id, above `after`. */
  readonly list: (after: number, limit: number) => Effect.Effect<ReadonlyArray<CategoryRecord>, StorageError>
  /** Adds a category and answers its new id. */
  readonly insert: (category: NewCategoryRecord) => Effect.Effect<number, Duplicate | StorageError, Transaction>
  /** Replaces the row of a locked category. */
  readonly save: (category: CategoryRecord) => Effect.Effect<void, Duplicate | StorageError, Transaction>
  /** Every category ever, tombstones included, with an id above `after`. */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<CategoryRecord>, StorageError>
}
