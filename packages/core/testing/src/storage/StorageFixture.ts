import type { HostTransaction, Storage, StorageError } from "@petstore/core/ports"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** An open store, as its layer provides it. */
export type Store = Storage["Service"]

/** How {@link storageContract} opens the stores that it tests. */
export interface StorageFixture {
  /** Opens a store on a fresh, empty database. It closes with the scope. */
  readonly open: Effect.Effect<Store, StorageError, Scope.Scope>
  /** Opens another store on the database of this one, as another connection or process would. */
  readonly openAnother: (store: Store) => Effect.Effect<Store, StorageError, Scope.Scope>
  /** How to make a store fail. Default: the cases that need it are skipped. */
  readonly faults?: StorageFaults | undefined
  /**
   * How many transactions of a database run at the same time: "one" (the default) if the next one begins after the one
   * before has ended, "many" if those of two stores overlap. A case fails if it is not so.
   */
  readonly writers?: "one" | "many" | undefined
  /**
   * How long these stores wait for the lock of an idempotency key. Default: 3 seconds, as the port says. A case lasts as
   * long if there are many writers, so open them with less if the adapter has an option for it.
   */
  readonly keyLockTimeout?: Duration.Input | undefined
  /** How a host application opens its own transactions on the database; absent if the store has no `join`. */
  readonly host?: HostDatabase | undefined
}

/** The connection of a host application to the database of a store. */
export interface HostDatabase {
  /** Begins a transaction that can write. It is rolled back with the scope if it is still open. */
  readonly begin: (store: Store) => Effect.Effect<OpenHostTransaction, unknown, Scope.Scope>
  /**
   * Opens a store as this one, on a database that the connection does not reach. Default: `open` of the fixture. Set
   * it if that opens all stores on one database, each in a schema of its own.
   */
  readonly openElsewhere?: ((store: Store) => Effect.Effect<Store, StorageError, Scope.Scope>) | undefined
}

/** An open transaction of a host application, and how to end it. */
export interface OpenHostTransaction {
  /** What `Storage.join` takes. */
  readonly transaction: HostTransaction
  readonly commit: Effect.Effect<void, unknown>
  readonly rollback: Effect.Effect<void, unknown>
}

/** Faults that happen once and leave the store usable. Arming one completes immediately, inside transactions too. */
export interface StorageFaults {
  /** The next COMMIT of this store fails and is rolled back. */
  readonly failNextCommit: (store: Store) => Effect.Effect<void>
  /** The next write of this store fails because the disk is full, which rolls back the whole transaction. */
  readonly loseNextTransaction: (store: Store) => Effect.Effect<void>
}
