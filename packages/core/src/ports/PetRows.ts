import type * as Effect from "effect/Effect"
import type { Pet, PetDetails } from "../domain/Pet.ts"
import type { PetStatus, Stock } from "../domain/Stock.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** A pet and its stock: one row, one lock. */
export interface PetRecord extends PetDetails {
  readonly id: number
  /** Increases with every change that the pet's representation shows. */
  readonly version: number
  readonly stock: Stock
  /** Increases with every change that the inventory item's representation shows. */
  readonly stockVersion: number
  /** The `seq` of the pet's latest movement in the ledger. */
  readonly lastMovement: number
  /** A deleted pet stays in the store, with its id and its ledger. */
  readonly deleted: boolean
}

/** A pet as callers see it: its status instead of its stock. */
export type ShownPet = Pet & { readonly status: PetStatus }

/** The same with the version of its representation. */
export type VersionedShownPet = ShownPet & { readonly version: number }

/** Selects live pets: in ascending id or, with `name`, in ascending name and then id. Names compare by code points. */
export interface PetQuery {
  readonly status?: PetStatus | undefined
  readonly categoryId?: number | undefined
  /** A prefix of the name; case matters. */
  readonly name?: string | undefined
  readonly ids?: ReadonlyArray<number> | undefined
  /** Only pets after the one with this id; 0 for the first page. */
  readonly after: number
  /** The name of the pet `after`; required with `name` on every page but the first. It starts with `name`. */
  readonly afterName?: string | undefined
  readonly limit: number
}

/** The pets of a status behind an id. */
export interface PetsOfStatus {
  readonly status: PetStatus
  readonly after: number
  readonly limit: number
}

/** Stores the pets with their stock. "Live" means not deleted. */
export interface PetRows {
  /** A live pet. */
  readonly find: (id: number) => Effect.Effect<PetRecord | undefined, StorageError>
  /** A live pet as callers see it, if a store reads that at a lower cost than the whole row. Absent: the engine makes it from `find`. */
  readonly findShown?: (id: number) => Effect.Effect<VersionedShownPet | undefined, StorageError>
  /** Locks a live pet: no other transaction can change it until this one ends. */
  readonly lock: (id: number) => Effect.Effect<PetRecord | undefined, StorageError, Transaction>
  readonly list: (query: PetQuery) => Effect.Effect<ReadonlyArray<PetRecord>, StorageError>
  /**
   * The pets of `list` as callers see them, if a store reads them at a lower cost than whole rows. Absent: the engine makes them
   * from `list`.
   */
  readonly listShown?: (query: PetQuery) => Effect.Effect<ReadonlyArray<ShownPet>, StorageError>
  /** The ids that `list` finds with a status alone, if a store reads them at a lower cost than rows. Absent: the engine takes them from `list`. */
  readonly listIds?: (query: PetsOfStatus) => Effect.Effect<ReadonlyArray<number>, StorageError>
  /** Adds a pet and returns its id. */
  readonly insert: (pet: Omit<PetRecord, "id">) => Effect.Effect<number, StorageError, Transaction>
  /** Adds pets and returns their ids, which ascend, in the same order. */
  readonly insertAll: (
    pets: ReadonlyArray<Omit<PetRecord, "id">>
  ) => Effect.Effect<ReadonlyArray<number>, StorageError, Transaction>
  /** Replaces a locked pet. */
  readonly save: (pet: PetRecord) => Effect.Effect<void, StorageError, Transaction>
  /** Replaces only `stock`, `stockVersion` and `lastMovement` of a locked pet whose status stays the same: the most frequent write. */
  readonly saveStock: (pet: PetRecord) => Effect.Effect<void, StorageError, Transaction>
  /** All pets in ascending id, deleted ones included, above `after`. */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<PetRecord>, StorageError>
}
