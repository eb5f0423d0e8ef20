import type { Petstore, PetstoreApi, PetstoreOptions } from "@petstore/core"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** How {@link petstoreContract} opens the petstores or clients that it tests. */
export interface PetstoreFixture<A extends PetstoreApi = PetstoreApi> {
  /** Opens a petstore on an empty storage, without accounts and API keys. It closes with the scope. */
  readonly open: Effect.Effect<A, unknown, Scope.Scope>
  /**
   * The same petstore as a user of the host application with the scopes `pets:read`, `orders:own` and `orders:fulfil`.
   * Default: `petstore.as`.
   */
  readonly as?: ((petstore: A, user: string) => Promise<PetstoreApi>) | undefined
  /** Runs after each case, such as {@link checkInvariants}. */
  readonly afterEach?: ((petstore: A) => Effect.Effect<void, unknown>) | undefined
}

/** How {@link embeddedContract} opens the petstores that it tests. */
export interface EmbeddedFixture {
  /** Opens a petstore on an empty storage. It closes with the scope. */
  readonly open: Effect.Effect<Petstore, unknown, Scope.Scope>
  /** Opens a petstore with options other than the storage, on an empty storage. It closes with the scope. */
  readonly openWith?:
    | ((options: Omit<PetstoreOptions, "storage">) => Effect.Effect<Petstore, unknown, Scope.Scope>)
    | undefined
  /** Opens another petstore on the same database, with options other than the storage; absent if a database can have only one. */
  readonly openAnother?:
    | ((
        petstore: Petstore,
        options?: Omit<PetstoreOptions, "storage">
      ) => Effect.Effect<Petstore, unknown, Scope.Scope>)
    | undefined
  /** Moves the clock of a petstore forward. Absent if the clock runs by itself. */
  readonly advance?: ((petstore: Petstore, millis: number) => Effect.Effect<void, unknown>) | undefined
  /** Whether the storage takes the option `search`. Default: true. With false, a case fails unless it refuses it. */
  readonly findsWords?: boolean | undefined
  /** Whether the storage takes the option `indexes`. Default: true. With false, a case fails unless it refuses it. */
  readonly buildsIndexes?: boolean | undefined
  /** How to make backups; absent if the storage has no files. */
  readonly backups?: Backups | undefined
}

/** Backups of a storage with files. */
export interface Backups {
  /** The path of a file that does not exist yet. */
  readonly file: Effect.Effect<string, unknown, Scope.Scope>
  /** Opens a petstore on a backup. It closes with the scope. */
  readonly open: (file: string) => Effect.Effect<Petstore, unknown, Scope.Scope>
}
