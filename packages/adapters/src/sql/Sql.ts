import type { StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import type { Program } from "./Program.ts"

/** The interface to a database for reads: runs programs where their fiber is, in a snapshot or on committed state. */
export interface Sql {
  readonly read: <A>(program: () => Program<A>) => Effect.Effect<A, StorageError>
}

/** Runs a program as a transaction of its own. */
export type Transact = <A>(program: () => Program<A>) => Effect.Effect<A, StorageError>
