import type { EventToAppend, StorageError, Transaction } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Parameter, Result } from "../connection/PostgresConnection.ts"

/** A statement of the store, and how its result is read. */
export interface Statement<A> {
  /** The statement as the folder `sql` has it, which identifies it. */
  readonly sql: string
  /** The same in the schema of the store, as PostgreSQL takes it. */
  readonly text: string
  readonly use: "read" | "lock" | "write"
  /** Whether it may write nothing, because of a row that exists. */
  readonly isConditional?: true
  /** For rows that get ids: the same with an array of their ids as the first value. */
  readonly textWithIds?: string
  /** Whether it lists rows, so that a replica may serve it. */
  readonly isList?: true
  readonly decode: (result: Result) => A
}

/** Runs statements: a connection, a snapshot or a transaction. */
export interface StatementRunner {
  execute<A>(statement: Statement<A>, values: ReadonlyArray<Parameter>): Effect.Effect<A, StorageError>
}

/** An open transaction, as one of its bodies uses it. */
export interface PostgresTransaction extends StatementRunner {
  /**
   * Reserves a name until the transaction ends, also one that no row has yet. Returns false if another transaction has held
   * it for too long.
   */
  claim(name: string): Effect.Effect<boolean, StorageError>
  /** Adds an event, which gets its number when the transaction commits. */
  append(event: EventToAppend): Effect.Effect<void, StorageError>
  /** Runs a body as a part of the transaction that fails alone. */
  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError>
}
