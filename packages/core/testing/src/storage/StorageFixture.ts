import type { HostTransaction, Storage, StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** An open store, as its layer provides it. */
export type Store = Storage["Service"]

/** What an adapter gives to have its store tested by {@link storageContract}. */
export interface StorageFixture {
  /** Opens a store on a fresh, empty database. It closes with the scope. */
  readonly open: Effect.Effect<Store, StorageError, Scope.Scope>
  /** Opens another store on the database of this one, as another connection or process would. */
  readonly openAnother: (store: Store) => Effect.Effect<Store, StorageError, Scope.Scope>
  /** How to make a store fail; the cases that need it are skipped where it is absent. */
  readonly faults?: StorageFaults | undefined
  /** How a host has transactions of its own on the database; absent where the store has no `join`. */
  readonly host?: HostDatabase | undefined
}

/** A host with a connection of its own to the database of a store. */
export interface HostDatabase {
  /** Begins a transaction that can write. It is rolled back with the scope if it is still open. */
  readonly begin: (store: Store) => Effect.Effect<OpenHostTransaction, unknown, Scope.Scope>
}

/** A transaction that a host has open, and how it ends. */
export interface OpenHostTransaction {
  /** What `Storage.join` takes. */
  readonly transaction: HostTransaction
  readonly commit: Effect.Effect<void, unknown>
  readonly rollback: Effect.Effect<void, unknown>
}

/** Faults that happen once and leave the store usable. Arming one completes at once: it is done inside bodies too. */
export interface StorageFaults {
  /** The next COMMIT of this store fails, and nothing of what it was to make durable is left. */
  readonly failNextCommit: (store: Store) => Effect.Effect<void>
  /** The next write of this store fails and takes the whole transaction with it, as a full disk does to SQLite. */
  readonly loseNextTransaction: (store: Store) => Effect.Effect<void>
}
