import type * as Effect from "effect/Effect"
import type { Query, Table, Value } from "../engine/Table.ts"
import type { Write } from "../engine/Transaction.ts"
import type { EventRows } from "./EventRows.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/**
 * The rows of a store. It knows them by the descriptions of the tables alone, and decides nothing about them. "Live" rows are those
 * that a description lets commands find.
 */
export interface Rows {
  /** A live row. */
  find<Row, Key extends number | string>(table: Table<Row, Key>, key: Key): Effect.Effect<Row | undefined, StorageError>
  /**
   * The same as `find` for authentication, which reads a row for every request: it may return the row as it was up to a second
   * ago, but finds every row that exists, and shows changes that this store itself has committed at once. Absent if `find`
   * costs little. `arrival`: for a request that arrives, outside of any transaction; the same object for those that were waiting at
   * the same time. What one of them has found unchanged, the others need not look at again. Returns its exit if it has the row.
   */
  findCached?<Row, Key extends number | string>(
    table: Table<Row, Key>,
    key: Key,
    arrival?: object
  ): Effect.Effect<Row | undefined, StorageError>
  /** Rows by their keys, those that are not live included, in any order. At most 1,000 keys. */
  findAll<Row, Key extends number | string>(
    table: Table<Row, Key>,
    keys: ReadonlyArray<Key>
  ): Effect.Effect<ReadonlyArray<Row>, StorageError>
  /**
   * Locks a live row: no other transaction can change it until this one ends. Several may hold a shared lock. If the table says so, the
   * lock of a key that no row has keeps others from adding one; if another transaction holds it for more than 3 s, it fails as the table
   * says.
   */
  lock<Row, Key extends number | string>(
    table: Table<Row, Key>,
    key: Key,
    isShared?: boolean
  ): Effect.Effect<Row | undefined, StorageError, Transaction>
  /**
   * All rows in ascending key, those that are not live included, behind the values of the columns of a key: a part of them, or, for
   * the first rows, none.
   */
  scan<Row, Key extends number | string>(
    table: Table<Row, Key>,
    after: ReadonlyArray<Value>,
    limit: number
  ): Effect.Effect<ReadonlyArray<Row>, StorageError>
  /** The first rows that a query selects, in its order. The cost does not depend on how many there are. */
  select<Row, Argument, Key extends number | string>(
    query: Query<Row, Argument, Key>,
    argument: Argument,
    limit: number
  ): Effect.Effect<ReadonlyArray<Row>, StorageError>
  /** How many rows a query selects. The count ends at `most`: the cost does not depend on how many there are. */
  count<Row, Argument, Key extends number | string>(
    query: Query<Row, Argument, Key>,
    argument: Argument,
    most: number
  ): Effect.Effect<number, StorageError>
  /** Locks the first rows that a query selects, but none that another transaction has locked. */
  claim<Row, Argument, Key extends number | string>(
    query: Query<Row, Argument, Key>,
    argument: Argument,
    limit: number
  ): Effect.Effect<ReadonlyArray<Row>, StorageError, Transaction>
  /** Adds rows with new ids, which ascend, and returns them in the same order. If a value of them is taken, fails as the table says. */
  insert<Row>(
    table: Table<Row>,
    rowsOf: ReadonlyArray<(id: number) => Row>
  ): Effect.Effect<ReadonlyArray<Row>, StorageError, Transaction>
  /** Makes changes, in this order. If a value of a row is taken, fails as the table says. */
  write(writes: ReadonlyArray<Write>): Effect.Effect<void, StorageError, Transaction>
  readonly events: EventRows
}
