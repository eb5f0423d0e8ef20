import type * as Effect from "effect/Effect"
import type { Category } from "../domain/Category.ts"
import type { Duplicate, StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** A category as it is stored. */
export interface CategoryRecord {
  readonly category: Category
  /** The name in the form that is compared; unique among the categories that are not deleted. */
  readonly nameKey: string
  readonly version: number
  /** A deleted category stays in the store, so that its id is never used again. */
  readonly deleted: boolean
}

/** A category before it has an id. */
export interface NewCategoryRecord {
  readonly category: Omit<Category, "id">
  readonly nameKey: string
  readonly version: number
}

/** Stores the categories. "Live" means not deleted. */
export interface CategoryRows {
  /** A live category. */
  readonly find: (id: number) => Effect.Effect<CategoryRecord | undefined, StorageError>
  /** The live category with this name. */
  readonly findByName: (nameKey: string) => Effect.Effect<CategoryRecord | undefined, StorageError>
  /** Locks a live category: no other transaction can change or delete it until this one ends. */
  readonly lock: (id: number) => Effect.Effect<CategoryRecord | undefined, StorageError, Transaction>
  /** Locks a live category against deletion until the transaction ends. Several transactions may hold this lock. */
  readonly lockShared: (id: number) => Effect.Effect<CategoryRecord | undefined, StorageError, Transaction>
  /** Live categories in ascending id, above `after`. */
  readonly list: (after: number, limit: number) => Effect.Effect<ReadonlyArray<CategoryRecord>, StorageError>
  /** Adds a category and returns its id. Fails with {@link Duplicate} if the name is taken. */
  readonly insert: (category: NewCategoryRecord) => Effect.Effect<number, Duplicate | StorageError, Transaction>
  /** Replaces a locked category. Fails with {@link Duplicate} if the name is taken. */
  readonly save: (category: CategoryRecord) => Effect.Effect<void, Duplicate | StorageError, Transaction>
  /** All categories in ascending id, deleted ones included, above `after`. */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<CategoryRecord>, StorageError>
}
