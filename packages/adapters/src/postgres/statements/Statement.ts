import type { StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import type { OpenTransaction } from "../../sql/OpenTransaction.ts"
import type { Use } from "../../sql/Statement.ts"
import type { Parameter, Result } from "../connection/PostgresConnection.ts"

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

/** Runs statements: a connection, a snapshot or a transaction. */
export interface StatementRunner {
  execute<A>(statement: Statement<A>, values: ReadonlyArray<Parameter>): Effect.Effect<A, StorageError>
}

/** An open transaction, as one of its bodies uses it. */
export interface PostgresTransaction extends OpenTransaction, StatementRunner {}
