import type { StorageError, Transaction } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"

/** What a placeholder can stand for; undefined is kept as NULL. */
export type Value = string | number | boolean | Uint8Array | null | undefined

/** A statement that waits for its values. */
export type Query<A, R = never> = (...values: ReadonlyArray<Value>) => Effect.Effect<A, StorageError, R>

/** Finds the row that a write would conflict with. */
export interface Conflict {
  readonly statement: string
  /** Which of the values of the write the statement takes. */
  readonly places: ReadonlyArray<number>
}

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
  /** Writes unless the row that `conflict` finds is there, and returns whether it did. The statement has that condition too. */
  readonly tryRun: (statement: string, conflict: Conflict) => Query<boolean, Transaction>
  /** Does for some rows what another statement does for all, at a lower cost. Returns whether it did; it may always be false. */
  readonly shortcut: (statement: string) => Query<boolean, Transaction>
  /** Adds a row and returns its new `id`. */
  readonly insert: (statement: string) => Query<number, Transaction>
  /**
   * Adds a row unless a unique value is taken (`ON CONFLICT DO NOTHING`), by the row that `conflict` finds; returns its new `id`
   * if it did.
   */
  readonly tryInsert: (statement: string, conflict: Conflict) => Query<number | undefined, Transaction>
}
