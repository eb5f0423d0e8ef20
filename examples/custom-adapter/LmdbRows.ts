import type * as Toolkit from "@petstore/core/adapter-toolkit"
import {
  compareValues,
  type Query,
  type Range,
  rangeOf,
  type Table,
  type Value,
  type Write
} from "@petstore/core/engine"
import type * as Ports from "@petstore/core/ports"
import { checkpoints, logSubject, schema } from "@petstore/core/tables"
import { LmdbLog } from "./LmdbLog.ts"
import { LmdbTable, type Root } from "./LmdbTable.ts"

type Key = number | string

/** The rows of a database, as the descriptions of its tables have them. */
export class LmdbRows implements Toolkit.SynchronousRows {
  readonly events: LmdbLog
  // Tables are known by their names, which types cannot follow.
  private readonly tables: ReadonlyMap<string, LmdbTable<object>>

  constructor(root: Root) {
    this.events = new LmdbLog(root)
    const all = Object.values(schema).map((table) => table as unknown as Table<object, Key>)
    this.tables = new Map(all.map((table) => [table.name, new LmdbTable(root, table)]))
  }

  problems(): ReadonlyArray<string> {
    return [...this.tables.values()].flatMap((table) => table.problems())
  }

  find<Row, K extends Key>(table: Table<Row, K>, key: K): Row | undefined {
    const rows = this.of(table.name)
    const row = rows.get(key)
    return row === undefined || !rows.table.isLive(row) ? undefined : this.shown(table, row)
  }

  findAll<Row, K extends Key>(table: Table<Row, K>, keys: ReadonlyArray<K>): ReadonlyArray<Row> {
    const rows = [...new Set(keys)].flatMap((key) => this.of(table.name).get(key) ?? [])
    return rows.map((row) => this.shown(table, row))
  }

  scan<Row, K extends Key>(table: Table<Row, K>, after: ReadonlyArray<Value>, limit: number): ReadonlyArray<Row> {
    const rows = this.of(table.name).scan(after, limit)
    return rows.map((row) => this.shown(table, row))
  }

  select<Row, A, K extends Key>(query: Query<Row, A, K>, argument: A, limit: number): ReadonlyArray<Row> {
    const { isReversed, ranges, table } = query
    const rows = this.of(table.name)
    const [first = {}, ...others] = ranges(argument)
    const found = [first, ...others].flatMap((range) => rows.select(range, limit, isReversed))
    const page = others.length === 0 ? found : sorted(rows.table, first, found).slice(0, limit)
    return page.map((row) => this.shown(table, row))
  }

  count<Row, A, K extends Key>({ ranges, table }: Query<Row, A, K>, argument: A, most: number): number {
    const counts = ranges(argument).map((range) => this.of(table.name).count(range, most))
    return Math.min(
      most,
      counts.reduce((sum, count) => sum + count, 0)
    )
  }

  claim<Row, A, K extends Key>({ ranges, table }: Query<Row, A, K>, argument: A, limit: number): ReadonlyArray<Row> {
    const found = ranges(argument).flatMap((range) => this.of(table.name).select(range, limit))
    return found.slice(0, limit).map((row) => this.shown(table, row))
  }

  /** The row with the last id is never removed, so no other row had the next one. */
  insert<Row>({ name }: Table<Row>, rowsOf: ReadonlyArray<(id: number) => Row>): ReadonlyArray<Row> {
    const { last } = this.of(name)
    const added = rowsOf.map((rowOf, index) => rowOf(last + 1 + index))
    for (const row of added) this.put(name, row as object, undefined)
    return added
  }

  write(writes: ReadonlyArray<Write>): void {
    for (const one of writes) {
      if ("table" in one) this.put(one.table, one.row as object, one.before)
      else if ("remove" in one) this.of(one.remove).remove(one.key)
      else if ("purge" in one) {
        const rows = this.of(one.purge)
        for (const row of rows.select({ index: "age", before: one.before }, one.limit))
          rows.remove(rows.table.keyOf(row))
      } else if ("trim" in one) this.events.trim(one.trim, this.find(checkpoints, logSubject)?.seq ?? 0)
      else if (one.log === "events") for (const event of one.rows) this.events.append(event as Ports.EventToAppend)
      else for (const row of one.rows) this.add(one.log, row as object)
    }
  }

  /** Adds a row of a log, with its id or after the last of its number. */
  private add(name: string, row: object): void {
    const rows = this.of(name)
    const { columns, generatesIds, key, keyOf, numberedBy, withId } = rows.table
    if (numberedBy !== undefined) {
      const range = { equal: { [numberedBy]: columns[numberedBy]?.read(row) } }
      const [last] = rows.select(range, 1, true)
      const numberOf = (one: object) => Number(columns[key.at(-1) ?? ""]?.read(one))
      if (numberOf(row) !== (last === undefined ? 0 : numberOf(last)) + 1)
        throw new Error(`The row ${keyOf(row)} does not follow the last one of ${name}`)
    }
    this.put(name, generatesIds ? withId(row, rows.last + 1) : row, undefined)
  }

  private put(name: string, row: object, before: unknown): void {
    const rows = this.of(name)
    const { columns, existing, keyOf, problemOf, references } = rows.table
    const stored = rows.get(keyOf(row))
    if (before === undefined && stored !== undefined && existing === "kept") return
    const isUnexpected = before === undefined ? stored !== undefined && existing === undefined : stored === undefined
    const lost = Object.entries(references).flatMap(([column, other]) => {
      const key = columns[column]?.read(row) ?? undefined
      return key === undefined || this.of(other).get(key as Key) !== undefined ? [] : [`no row ${key} of ${other}`]
    })
    const problem = isUnexpected ? "another row" : (problemOf?.(row) ?? lost[0])
    if (problem !== undefined) throw new Error(`Row ${keyOf(row)} of ${name} cannot be written: ${problem}`)
    const taken = rows.takenBy(row)
    if (taken !== undefined) throw taken.error
    rows.put(row)
  }

  /** A row, or what a view shows of it. LMDB makes a new object each time. */
  private shown<Row, K extends Key>({ viewOf }: Table<Row, K>, row: object): Row {
    return viewOf === undefined ? (row as Row) : viewOf(row as never)
  }

  private of(name: string): LmdbTable<object> {
    const table = this.tables.get(name)
    if (table === undefined) throw new Error(`There is no table ${name}`)
    return table
  }
}

/** Rows of several ranges in the order that these have. */
const sorted = (table: Table<object, Key>, range: Range, rows: ReadonlyArray<object>): ReadonlyArray<object> => {
  const { order, reading } = rangeOf(table, range)
  const readers = order.map(reading)
  return [...rows].sort((one, other) => {
    const compared = readers.map((read) => compareValues(read(one), read(other)))
    return compared.find((result) => result !== 0) ?? 0
  })
}
