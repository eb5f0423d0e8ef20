import type { Table, Write } from "@petstore/core/engine"
import type { EventRows, EventToAppend, Rows, StorageError, Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { Sql } from "./Sql.ts"
import { claimed, TableRows } from "./TableRows.ts"
import { type RowKey, tableNamed } from "./tableText.ts"

/** The log of events of a database: what reads it, and what adds events and removes them. */
export interface EventLogRows extends EventRows {
  readonly append: (events: ReadonlyArray<EventToAppend>) => Effect.Effect<void, StorageError, Transaction>
  readonly trim: (through: number) => Effect.Effect<void, StorageError, Transaction>
}

/** The rows of a database. Its statements are made of the descriptions of the tables, once for each. */
export const rows = (sql: Sql, { append, trim, ...events }: EventLogRows): Rows => {
  const tables = new Map<object, unknown>()

  const of = <Row, Key extends RowKey>(table: Table<Row, Key>): TableRows<Row, Key> => {
    let found = tables.get(table)
    if (found === undefined) {
      found = new TableRows(sql, table)
      tables.set(table, found)
    }
    // What the map has for a table was made of it.
    return found as TableRows<Row, Key>
  }

  /** Asks an exclusive query of a transaction when no other one can ask it. */
  const inTurn = <Argument, A>(
    { isExclusive, name }: { readonly isExclusive: boolean; readonly name: string },
    argument: Argument,
    ask: Effect.Effect<A, StorageError>
  ): Effect.Effect<A, StorageError> => {
    if (!isExclusive) return ask
    const values = typeof argument === "string" || typeof argument === "number" ? [argument] : []
    return Effect.flatMap(sql.isInTransaction, (isIn) =>
      // The transaction that a claim needs is there.
      isIn ? Effect.andThen(claimed(sql, name, values) as Effect.Effect<void, StorageError>, ask) : ask
    )
  }

  /** Makes writes that have the same kind and table. */
  const writeAlike = (writes: ReadonlyArray<Write>): Effect.Effect<void, StorageError, Transaction> => {
    const [first] = writes
    if (first === undefined) return Effect.void
    if ("log" in first) {
      const added = writes.flatMap((write) => ("log" in write ? write.rows : []))
      return first.log === "events"
        ? append(added as ReadonlyArray<EventToAppend>)
        : of(tableNamed(first.log)).add(added)
    }
    if ("remove" in first) {
      return of(tableNamed(first.remove)).remove(writes.flatMap((write) => ("remove" in write ? [write.key] : [])))
    }
    if ("table" in first) {
      const table = of(tableNamed(first.table))
      if (first.before !== undefined) return table.save(first.row, first.before)
      return table.addWithKeys(writes.flatMap((write) => ("table" in write ? [write.row] : [])))
    }
    return "purge" in first ? of(tableNamed(first.purge)).purge(first.before, first.limit) : trim(first.trim)
  }

  return {
    find: (table, key) => of(table).find(key),
    findAll: (table, keys) => of(table).findAll(keys),
    lock: (table, key, isShared) => of(table).lock(key, isShared),
    scan: (table, after, limit) => of(table).scan(after, limit),
    select: (query, argument, limit) => inTurn(query, argument, of(query.table).select(query, argument, limit)),
    count: (query, argument, most) => inTurn(query, argument, of(query.table).count(query, argument, most)),
    claim: (query, argument, limit) => of(query.table).claim(query, argument, limit),
    insert: (table, rowsOf) => of(table).insert(rowsOf),
    write: (writes) => {
      const [first] = writes
      if (writes.length <= 1) return first === undefined ? Effect.void : writeAlike([first])
      return Effect.forEach(runsOf(writes), writeAlike, { discard: true })
    },
    events
  }
}

/** What writes of one statement have in common; undefined for one that has its own. */
const kindOf = (write: Write): string | undefined => {
  if ("log" in write) return `add to ${write.log}`
  if ("remove" in write) return `remove ${write.remove}`
  return "table" in write && write.before === undefined ? `add ${write.table}` : undefined
}

/** Divides writes into those that follow one another and have the same kind and table. */
const runsOf = (writes: ReadonlyArray<Write>): ReadonlyArray<ReadonlyArray<Write>> => {
  const runs: Array<Array<Write>> = []
  let last: string | undefined
  for (const write of writes) {
    const kind = kindOf(write)
    if (kind !== undefined && kind === last) runs.at(-1)?.push(write)
    else runs.push([write])
    last = kind
  }
  return runs
}
