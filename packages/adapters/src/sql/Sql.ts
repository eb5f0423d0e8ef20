import type { StorageError, Transaction } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import type { MergeRanges } from "./IndexRange.ts"
import type { RowTarget } from "./RowTarget.ts"
import type { Value } from "./Value.ts"

export type { Value } from "./Value.ts"

/** A statement as a function of its values. */
export type Query<A, R = never> = (...values: ReadonlyArray<Value>) => Effect.Effect<A, StorageError, R>

/** The query for the row that a write would conflict with. */
export interface Conflict {
  readonly statement: string
  /** The indexes of the values of the write that the statement takes. */
  readonly places: ReadonlyArray<number>
}

/**
 * The interface to a database that the statements of this folder need. They are written in the SQL that SQLite and
 * PostgreSQL share, with `?` as placeholder; what only PostgreSQL takes stands in a comment that begins with `+`, and what
 * only SQLite takes is the name of an index after INDEXED BY. A statement runs in the transaction or snapshot of its fiber, and on committed
 * state outside of them. A row is what the driver returns: booleans may be 0 and 1.
 */
export interface Sql {
  /** Returns the only or first row. */
  readonly first: <Row, A>(statement: string, decode: (row: Row) => A) => Query<A | undefined>
  readonly all: <Row, A>(statement: string, decode: (row: Row) => A) => Query<ReadonlyArray<A>>
  /** The statement for the first rows of some ranges of indexes, for `all`. */
  readonly merge: MergeRanges
  /** Returns the only row, which no other transaction can change or lock until this one ends. */
  readonly lock: <Row, A>(statement: string, decode: (row: Row) => A) => Query<A | undefined, Transaction>
  /** Returns the only row, which no other transaction can change until this one ends. */
  readonly lockShared: <Row, A>(statement: string, decode: (row: Row) => A) => Query<A | undefined, Transaction>
  /** Returns rows that no other transaction can change or lock until this one ends, but none that another has locked. */
  readonly lockFree: <Row, A>(statement: string, decode: (row: Row) => A) => Query<ReadonlyArray<A>, Transaction>
  /**
   * Reserves a name with these values until the transaction ends, whether or not a row has them. Returns false if another
   * transaction has held it for 3 seconds. A database with one writer returns true.
   */
  readonly claim: (name: string) => Query<boolean, Transaction>
  /** Whether a fiber is in a transaction. */
  readonly isInTransaction: Effect.Effect<boolean>
  /** Writes, in transactions of the store alone: a transaction of a host application cannot replay it. */
  readonly runOwn: (statement: string) => Query<void, Transaction>
  /** Writes. */
  readonly run: (statement: string) => Query<void, Transaction>
  /** Writes unless the row that `conflict` finds exists, and returns whether it wrote. The statement has the same condition. */
  readonly tryRun: (statement: string, conflict: Conflict) => Query<boolean, Transaction>
  /** Adds many rows, in one statement if that saves round trips. */
  readonly insertAll: (
    target: RowTarget
  ) => (rows: ReadonlyArray<ReadonlyArray<Value>>) => Effect.Effect<void, StorageError, Transaction>
  /** Removes many rows by their keys, in one statement if that saves round trips. `one` removes one of them. */
  readonly removeAll: (
    target: RowTarget,
    one: string
  ) => (keys: ReadonlyArray<ReadonlyArray<Value>>) => Effect.Effect<void, StorageError, Transaction>
  /** Adds many rows, which the database gives ids, and returns the ids, which ascend, in the order of the rows. */
  readonly insertMany: (
    target: RowTarget
  ) => (rows: ReadonlyArray<ReadonlyArray<Value>>) => Effect.Effect<ReadonlyArray<number>, StorageError, Transaction>
  /**
   * Adds a row unless a unique value is taken (`ON CONFLICT DO NOTHING`), by the row that `conflict` finds; returns its new `id`
   * if it did.
   */
  readonly tryInsert: (statement: string, conflict: Conflict) => Query<number | undefined, Transaction>
}
