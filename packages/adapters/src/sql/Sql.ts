import type { StorageError, Transaction } from "@petstore/core/ports"
import type { Effect } from "effect"

/** What a placeholder can stand for; undefined is kept as NULL. */
export type Value = string | number | boolean | Uint8Array | null | undefined

/** A statement that waits for its values. */
export type Query<A, R = never> = (...values: ReadonlyArray<Value>) => Effect.Effect<A, StorageError, R>

/**
 * What the statements of this folder need of a database. They are written in the SQL that SQLite and PostgreSQL share,
 * with `?` as placeholder. A statement runs in the transaction or snapshot of its fiber, and on committed state
 * outside of them. A row comes as the driver gives it: booleans may be 0 and 1.
 */
export interface Sql {
  /** The only or first row. */
  readonly first: <Row, A>(statement: string, decode: (row: Row) => A) => Query<A | undefined>
  readonly all: <Row, A>(statement: string, decode: (row: Row) => A) => Query<ReadonlyArray<A>>
  /** The only row, which nobody else can change or lock until the transaction ends. */
  readonly lock: <Row, A>(statement: string, decode: (row: Row) => A) => Query<A | undefined, Transaction>
  /** The only row, which nobody else can change until the transaction ends. */
  readonly lockShared: <Row, A>(statement: string, decode: (row: Row) => A) => Query<A | undefined, Transaction>
  /** Writes. */
  readonly run: (statement: string) => Query<void, Transaction>
  /** Writes, and answers how many rows that changed. */
  readonly change: (statement: string) => Query<number, Transaction>
  /** Adds a row and answers its new `id`. */
  readonly insert: (statement: string) => Query<number, Transaction>
  /** Adds a row unless a unique value stands in the way (`ON CONFLICT DO NOTHING`); answers its new `id` if it did. */
  readonly tryInsert: (statement: string) => Query<number | undefined, Transaction>
}
