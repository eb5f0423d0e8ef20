import type { StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { Use } from "../../sql/Program.ts"
import type { Parameter, Result } from "../connection/PostgresConnection.ts"
import type { Changes, Division } from "./changes.ts"

/** A statement of the store, and how its result is read. */
export interface Statement<A> {
  /** The statement as both databases have it, which identifies it. */
  readonly sql: string
  /** The same in the schema of the store, as PostgreSQL takes it. */
  readonly text: string
  readonly use: Use
  /** Whether it lists rows, so that a replica may serve it. */
  readonly isList?: boolean
  readonly decode: (result: Result) => A
}

/** Runs statements that read: a connection or a snapshot. */
export interface StatementRunner {
  execute<A>(statement: Statement<A>, values: ReadonlyArray<Parameter>): Effect.Effect<A, StorageError>
}

/** An open transaction. Its operations run one after another. */
export interface PostgresTransaction {
  execute<A>(statement: Statement<A>, values: ReadonlyArray<Parameter>): Promise<Exit.Exit<A, StorageError>>
  /**
   * Reserves a name until the transaction ends, also one that no row has yet. Returns false if another transaction has held
   * it for too long.
   */
  claim(name: string): Promise<Exit.Exit<boolean, StorageError>>
  /** How it wants its changes. */
  readonly division: Division
  write(changes: Changes): Promise<Exit.Exit<void, StorageError>>
}
