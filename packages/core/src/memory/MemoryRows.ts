import { compareValues, type Query, type Range, rangeOf, type Table, type Value } from "../engine/Table.ts"
import type { Source, Write } from "../engine/Transaction.ts"
import type { TableName } from "../ports/Restore.ts"
import type { EventRecord, EventToAppend } from "../tables/events.ts"
import { checkpoints, logSubject, schema } from "../tables/index.ts"
import { EventLog } from "./EventLog.ts"
import { MemoryLog } from "./MemoryLog.ts"
import { MemoryTable } from "./MemoryTable.ts"

type Key = number | string

/** The rows of a database, as the descriptions of its tables have them. */
export class MemoryRows {
  readonly events: EventLog
  // Tables are known by their names, which types cannot follow.
  private readonly tables: ReadonlyMap<string, MemoryTable<object, Key> | MemoryLog<object>>

  /** The columns of each table that refer to others. */
  private readonly references = new Map<
    string,
    ReadonlyArray<{
      readonly read: (row: object) => Value
      readonly rows: MemoryTable<object, Key> | MemoryLog<object>
    }>
  >()

  /** Each change adds a step to `undo` that reverts it. */
  constructor(undo: Array<() => void>) {
    this.events = new EventLog(undo)
    this.tables = new Map(
      Object.values(schema).map((table) => [
        table.name,
        table.numberedBy === undefined
          ? new MemoryTable(undo, table as unknown as Table<object, Key>)
          : new MemoryLog(undo, table as unknown as Table<object, string>)
      ])
    )
    for (const { table } of this.tables.values()) {
      const { columns, name, references } = table as Table<object, Key>
      const readers = Object.entries(references).flatMap(([column, other]) => {
        const read = columns[column]?.read
        return read === undefined ? [] : [{ read, rows: this.of(other) }]
      })
      this.references.set(name, readers)
    }
  }

  /** How many rows each table has. */
  counts(): { readonly [Name in TableName]: number } {
    const sizes = [...this.tables].map(([name, { size }]) => [name, size])
    return { ...Object.fromEntries(sizes), events: this.events.size }
  }

  /** Messages about tables whose indexes do not agree with their rows. */
  problems(): ReadonlyArray<string> {
    return [...this.tables.values()].flatMap((table) => (table instanceof MemoryTable ? table.problems() : []))
  }

  /** A live row. It is the stored one, which callers must not change or keep. */
  load<Row, K extends Key>({ name, viewOf }: Table<Row, K>, key: K): Row | undefined {
    const rows = this.of(name)
    const row = rows.get(key as never)
    if (row === undefined || !rows.table.isLive(row)) return undefined
    return viewOf === undefined ? (row as Row) : viewOf(row as never)
  }

  find<Row, K extends Key>(table: Table<Row, K>, key: K): Row | undefined {
    const row = this.load(table, key)
    return row === undefined || table.viewOf !== undefined ? row : table.copy(row)
  }

  findAll<Row, K extends Key>(table: Table<Row, K>, keys: ReadonlyArray<K>): ReadonlyArray<Row> {
    const rows = this.of(table.name)
    return [...new Set(keys)].flatMap((key) => {
      const row = rows.get(key as never)
      return row === undefined ? [] : [this.shown(table, row)]
    })
  }

  scan<Row, K extends Key>(table: Table<Row, K>, after: ReadonlyArray<Value>, limit: number): ReadonlyArray<Row> {
    return this.of(table.name)
      .scan(after, limit)
      .map((row) => this.shown(table, row))
  }

  /** The first rows of a query. */
  select<Row, Argument, K extends Key>(
    { isReversed, ranges, table }: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): ReadonlyArray<Row> {
    const rows = this.of(table.name)
    const most = isReversed ? Number.POSITIVE_INFINITY : limit
    const [only, ...others] = ranges(argument).map((range) => ({ range, found: this.listed(rows, range, most) }))
    if (only === undefined) return []
    const merged = others.length === 0 ? only.found : this.merged(rows, [only, ...others])
    const page = (isReversed ? [...merged].reverse() : merged).slice(0, limit)
    return page.map((row) => this.shown(table, row))
  }

  count<Row, Argument, K extends Key>(query: Query<Row, Argument, K>, argument: Argument, most: number): number {
    const rows = this.of(query.table.name)
    return query
      .ranges(argument)
      .reduce(
        (count, range) =>
          Math.min(
            most,
            count +
              (rows instanceof MemoryTable
                ? rows.count(range, most - count)
                : this.listed(rows, range, most - count).length)
          ),
        0
      )
  }

  /** The first rows of one range of a query after the other. */
  claim<Row, Argument, K extends Key>(
    { ranges, table }: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): ReadonlyArray<Row> {
    const rows = this.of(table.name)
    const found: Array<object> = []
    for (const range of ranges(argument)) {
      if (found.length < limit) found.push(...this.listed(rows, range, limit - found.length))
    }
    return found.map((row) => this.shown(table, row))
  }

  /** Adds rows with the next ids, and returns them. The row with the highest id is never removed, so no other row had it before. */
  insert<Row>(table: Table<Row>, rowsOf: ReadonlyArray<(id: number) => Row>): ReadonlyArray<Row> {
    const last = this.lastId(table)
    const added = rowsOf.map((rowOf, index) => rowOf(last + 1 + index))
    for (const row of added) this.put(table.name, row as object, undefined)
    return added
  }

  /** Reads for one command. One runs at a time, so to read a row locks it. */
  source(): Source {
    const added = new Map<string, number>()
    return {
      storesNew: false,
      load: (_, table, key) => (this.of(table.name).isFlat ? this.load(table, key) : this.find(table, key)),
      findAll: (table, keys) => this.findAll(table, keys),
      select: (query, argument, limit) => this.select(query, argument, limit),
      count: (query, argument, most) => this.count(query, argument, most),
      claim: (query, argument, limit) => this.claim(query, argument, limit),
      scan: (after, limit) => this.events.list(after, limit),
      last: () => this.events.last,
      insert: (table, rowsOf) => {
        const last = added.get(table.name) ?? this.lastId(table)
        added.set(table.name, last + rowsOf.length)
        return rowsOf.map((rowOf, index) => rowOf(last + 1 + index))
      }
    }
  }

  /** Makes changes. Throws if a row must not be stored. */
  readonly write = (writes: ReadonlyArray<Write>): void => {
    for (const one of writes) {
      if ("table" in one) this.put(one.table, one.row as object, one.before as object | undefined)
      else if ("log" in one) this.append(one.log, one.rows)
      else if ("remove" in one) this.tableOf(one.remove).remove(one.key)
      else if ("purge" in one) this.purge(one.purge, one.before, one.limit)
      else this.trim(one.trim)
    }
  }

  /** Adds the rows of another store, which has checked them. */
  restore(name: TableName, records: ReadonlyArray<object>): void {
    const [first] = records
    if (name === "events") {
      // The first event of a log whose beginning was removed has another number than 1.
      if (this.events.size === 0 && first !== undefined) this.events.begin((first as EventRecord).seq - 1)
      for (const event of records as ReadonlyArray<EventRecord>) this.events.append(event, event.seq)
      return
    }
    for (const row of records) this.add(name, row)
  }

  private append(log: string, rows: ReadonlyArray<unknown>): void {
    if (log === "events") for (const event of rows) this.events.append(event as EventToAppend)
    else {
      const { table } = this.of(log)
      for (const row of rows) {
        this.add(log, table.generatesIds ? table.withId(row as object, this.lastId(table) + 1) : (row as object))
      }
    }
  }

  private add(name: string, row: object): void {
    const rows = this.of(name)
    const problem = this.problemOf(rows.table, row)
    if (problem !== undefined) throw new Error(problem)
    if (rows instanceof MemoryLog) rows.append(rows.table.copy(row))
    else this.put(name, row, undefined)
  }

  private put(name: string, row: object, before: object | undefined): void {
    const rows = this.tableOf(name)
    const { existing, keyOf } = rows.table
    const key = keyOf(row)
    const stored = rows.get(key)
    if (before === undefined && stored !== undefined) {
      if (existing === "kept") return
      if (existing === undefined) throw new Error(`There is already a row ${key} of ${name}`)
    }
    if (before !== undefined && stored === undefined) throw new Error(`There is no row ${key} of ${name} to save`)
    const problem = this.problemOf(rows.table, row)
    if (problem !== undefined) throw new Error(problem)
    const taken = rows.takenBy(row, stored)
    if (taken !== undefined) throw taken
    rows.put(rows.table.copy(row))
  }

  /** What is wrong with a row that is about to be written. */
  private problemOf(table: Table<object, string> | Table<object, Key>, row: object): string | undefined {
    const problem = table.problemOf?.(row)
    if (problem !== undefined) return problem
    for (const { read, rows } of this.references.get(table.name) ?? []) {
      const key = read(row)
      if (key !== undefined && key !== null && rows.get(key as never) === undefined) {
        return `There is no row ${key} of ${rows.table.name}`
      }
    }
    return undefined
  }

  private trim(through: number): void {
    const last = Math.min(through, this.events.last - 1)
    const checkpoint = this.load(checkpoints, logSubject)
    if (last > (checkpoint?.seq ?? 0)) throw new Error("Only events of the checkpoint can be removed")
    this.events.trim(last)
  }

  private purge(name: string, before: string, limit: number): void {
    const rows = this.tableOf(name)
    for (const row of rows.select({ index: "age", before }, limit)) rows.remove(rows.table.keyOf(row))
  }

  private listed(
    rows: MemoryTable<object, Key> | MemoryLog<object>,
    range: Range,
    limit: number
  ): ReadonlyArray<object> {
    if (rows instanceof MemoryTable) return rows.select(range, limit)
    const { after: [after = 0] = [], equal = {} } = range
    return rows.list(Number(equal[rows.table.numberedBy ?? ""]), Number(after), limit)
  }

  /** The rows of ranges of one order, in that order. */
  private merged(
    rows: MemoryTable<object, Key> | MemoryLog<object>,
    parts: ReadonlyArray<{ readonly range: Range; readonly found: ReadonlyArray<object> }>
  ): ReadonlyArray<object> {
    const { table } = rows
    const range = parts[0]?.range ?? {}
    const { order, reading } = rangeOf(table as Table<object, Key>, range)
    const readers = order.map(reading)
    return parts
      .flatMap(({ found }) => found)
      .sort((one, other) => {
        for (const read of readers) {
          const compared = compareValues(read(one), read(other))
          if (compared !== 0) return compared
        }
        return 0
      })
  }

  /** A copy of a row, or what a view shows of it. */
  private shown<Row, K extends Key>({ copy, viewOf }: Table<Row, K>, row: object): Row {
    return viewOf === undefined ? copy(row as Row) : viewOf(row as never)
  }

  private lastId({ name }: Pick<Table<never>, "name">): number {
    return Number(this.tableOf(name).lastKey ?? 0)
  }

  private of(name: string): MemoryTable<object, Key> | MemoryLog<object> {
    const found = this.tables.get(name)
    if (found === undefined) throw new Error(`There is no table ${name}`)
    return found
  }

  private tableOf(name: string): MemoryTable<object, Key> {
    const found = this.of(name)
    if (found instanceof MemoryTable) return found
    throw new Error(`Rows of ${name} are only added`)
  }
}
