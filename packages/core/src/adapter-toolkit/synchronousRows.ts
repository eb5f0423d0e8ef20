import * as Exit from "effect/Exit"
import type { Query, Table, Value } from "../engine/Table.ts"
import type { Write } from "../engine/Transaction.ts"
import type { DeferredEvents } from "../ports/EventRows.ts"
import type { Rows } from "../ports/Rows.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { EventRecord } from "../tables/events.ts"
import type { RowCalls } from "./SynchronousConnection.ts"

type Key = number | string

/** The log of events of such a database. */
export interface SynchronousEvents {
  /** The position of the last event; 0 if there never was one. */
  readonly last: number
  list(after: number, limit: number): ReadonlyArray<EventRecord>
  find(seq: number): EventRecord | undefined
  defer?(after: number, limit: number): DeferredEvents
}

/** The rows of a database whose calls are synchronous, by the rules of {@link Rows}. */
export interface SynchronousRows {
  find<Row, K extends Key>(table: Table<Row, K>, key: K): Row | undefined
  findAll<Row, K extends Key>(table: Table<Row, K>, keys: ReadonlyArray<K>): ReadonlyArray<Row>
  scan<Row, K extends Key>(table: Table<Row, K>, after: ReadonlyArray<Value>, limit: number): ReadonlyArray<Row>
  select<Row, A, K extends Key>(query: Query<Row, A, K>, argument: A, limit: number): ReadonlyArray<Row>
  count<Row, A, K extends Key>(query: Query<Row, A, K>, argument: A, most: number): number
  claim<Row, A, K extends Key>(query: Query<Row, A, K>, argument: A, limit: number): ReadonlyArray<Row>
  /** Throws if a row must not be stored: the error of a value that is taken rejects the call alone. */
  insert<Row>(table: Table<Row>, rowsOf: ReadonlyArray<(id: number) => Row>): ReadonlyArray<Row>
  /** The same for changes. */
  write(writes: ReadonlyArray<Write>): void
  readonly events: SynchronousEvents
}

/** The rows of a store with one writer at a time, so that reading a row in a transaction locks it. */
export const synchronousRows = (calls: RowCalls, rows: SynchronousRows): Rows => {
  const { events } = rows
  /** A value that is taken rejects the call alone. */
  const attempt = <A>(operation: () => A) =>
    calls.attempt((): Exit.Exit<A, StorageError> => {
      try {
        return Exit.succeed(operation())
      } catch (thrown) {
        if (thrown instanceof Error && "_tag" in thrown) return Exit.fail(thrown as StorageError)
        throw thrown
      }
    })
  const { defer } = events
  return {
    find: (table, key) => calls.read(() => rows.find(table, key)),
    findAll: (table, keys) => calls.read(() => rows.findAll(table, keys)),
    lock: (table, key) => calls.lock(() => rows.find(table, key)),
    scan: (table, after, limit) => calls.read(() => rows.scan(table, after, limit)),
    select: (query, argument, limit) => calls.read(() => rows.select(query, argument, limit)),
    count: (query, argument, most) => calls.read(() => rows.count(query, argument, most)),
    claim: (query, argument, limit) => calls.lock(() => rows.claim(query, argument, limit)),
    insert: (table, rowsOf) => attempt(() => rows.insert(table, rowsOf)),
    write: (writes) => attempt(() => rows.write(writes)),
    events: {
      latest: calls.read(() => events.last),
      scan: (after, limit) => calls.read(() => events.list(after, limit)),
      ...(defer === undefined
        ? {}
        : { scanDeferred: (after, limit) => calls.read(() => defer.call(events, after, limit)) }),
      find: (seqs) =>
        calls.read(() => [...new Set(seqs)].sort((a, b) => a - b).flatMap((seq) => events.find(seq) ?? []))
    }
  }
}
