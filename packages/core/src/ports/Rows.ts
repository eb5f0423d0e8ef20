import type * as Effect from "effect/Effect"
import type { Query, Table, Value } from "../kernel/Table.ts"
import type { EventRows } from "./EventRows.ts"
import type { StorageError } from "./StorageError.ts"

/**
 * The rows of a store. It knows them only by the descriptions of the tables, and decides nothing about them. "Live" rows are those
 * that a description lets commands find. Commands lock and change them by their transaction.
 */
export interface Rows {
  /** Reads a live row. */
  find<Row, Key extends number | string>(table: Table<Row, Key>, key: Key): Effect.Effect<Row | undefined, StorageError>
  /**
   * The same as `find` for authentication, which reads a row for every request: it may return the row as it was up to a second
   * ago, but finds every row that exists, and shows changes that this store itself has committed at once. Absent if `find`
   * costs little. `arrival`: for a request that arrives, outside of any transaction; the same object for those that were waiting at
   * the same time. What one of them has found unchanged, the others need not read again. Returns its exit if it has the row,
   * which requests may share: do not change it.
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
  readonly events: EventRows
}
