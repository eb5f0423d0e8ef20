import type { StorageError, Transaction } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import type { Program } from "./Program.ts"
import type { RowTarget } from "./RowTarget.ts"
import type { Value } from "./Value.ts"

export type { Value } from "./Value.ts"

/** The interface to a database: runs programs and statements where their fiber is. */
export interface Sql {
  /** Runs what reads: in the transaction or snapshot of its fiber, and on committed state outside of them. */
  readonly read: <A>(program: (isInTransaction: boolean) => Program<A>) => Effect.Effect<A, StorageError>
  /** Runs a part of the transaction of its fiber. */
  readonly inTransaction: <A>(program: () => Program<A>) => Effect.Effect<A, StorageError, Transaction>
  /** Adds many rows to a table outside of transactions of a host application, in few statements. */
  readonly insertAll: (
    target: RowTarget
  ) => (rows: ReadonlyArray<ReadonlyArray<Value>>) => Effect.Effect<void, StorageError, Transaction>
}
