import type { Petstore, PetstoreApi } from "@petstore/core"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** What is given to have a petstore, near or far, tested by {@link engineContract}. */
export interface EngineFixture<A extends PetstoreApi = PetstoreApi> {
  /** Opens a petstore on a fresh store with nothing in it, accounts and API keys included. It closes with the scope. */
  readonly open: Effect.Effect<A, unknown, Scope.Scope>
  /** What must hold after each case, whatever it did, such as that `verify` finds nothing. */
  readonly afterEach?: ((petstore: A) => Effect.Effect<void, unknown>) | undefined
}

/** What is given to have a petstore in this process tested by {@link embeddedContract}. */
export interface EmbeddedFixture {
  /** Opens a petstore on a fresh store with nothing in it. It closes with the scope. */
  readonly open: Effect.Effect<Petstore, unknown, Scope.Scope>
  /** Opens another petstore on the database of this one; absent where a database has one petstore. */
  readonly openAnother?: ((petstore: Petstore) => Effect.Effect<Petstore, unknown, Scope.Scope>) | undefined
  /** Where backups go; absent where the storage has no files. */
  readonly backups?: Backups | undefined
}

/** Backups of a storage with files. */
export interface Backups {
  /** The path of a file that does not exist yet. */
  readonly file: Effect.Effect<string, unknown, Scope.Scope>
  /** Opens a petstore on a backup. It closes with the scope. */
  readonly open: (file: string) => Effect.Effect<Petstore, unknown, Scope.Scope>
}
