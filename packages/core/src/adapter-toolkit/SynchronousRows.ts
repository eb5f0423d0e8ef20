import { compareValues, hasWords, type Query, type Range, rangeOf, type Table, type Value } from "../kernel/Table.ts"
import type { Source, Write } from "../kernel/Transaction.ts"
import type { DeferredEvents } from "../ports/EventRows.ts"
import type { TableName } from "../ports/Restore.ts"
import type { Rows } from "../ports/Rows.ts"
import type { EventRecord, EventToAppend } from "../tables/eventTable.ts"
import { checkpoints, logSubject, schema } from "../tables/index.ts"
import type { RowCalls } from "./SynchronousConnection.ts"

type Key = number | string

/** A table whose rows may have any type. */
export type AnyTable = Table<object, Key>

/** The rows of one table, as a database keeps them, and nothing else about them. */
export interface KeptRows {
  readonly table: AnyTable
  /** The greatest id; 0 if there is none. */
  readonly lastId: number
  /** The row of a key, live or not. Callers neither change nor keep it. */
  get(key: Key): object | undefined
  /** The rows behind the values of a key, live or not. */
  scan(after: ReadonlyArray<Value>, limit: number): ReadonlyArray<object>
  /** The rows of a range without `also` and `words`, in its order or in the reversed one; the live ones if it names no index. */
  select(range: Range, limit: number, isReversed?: boolean): ReadonlyArray<object>
  /** How many rows a range has; the count ends at `most`. */
  count(range: Range, most: number, isReversed?: boolean): number
  /** The error of a row whose values another one has in a unique index. */
  takenBy(row: object): Error | undefined
  /** Writes a row in place of the one with its key. It may be changed later, so it is copied. */
  put(row: object): void
  remove(key: Key): void
}

/** The log of events, as a database keeps it. */
export interface KeptEvents {
  /** The position of the last event; 0 if there never was one. */
  readonly last: number
  list(after: number, limit: number): ReadonlyArray<EventRecord>
  find(seq: number): EventRecord | undefined
  defer?(after: number, limit: number): DeferredEvents
  /** The events of a subject from a position on, in either direction. Absent if the database has no index of subjects. */
  ofSubject?(subject: string, position: number, limit: number, isReversed: boolean): ReadonlyArray<EventRecord>
  append(event: EventToAppend): void
  /** Removes the events up to a position. */
  trim(through: number): void
}

/** A column that refers to the rows of another table. */
interface Reference {
  readonly read: (row: object) => Value
  readonly rows: KeptRows
}

/**
 * The rows of a database whose calls are synchronous and whose transactions run one after the other: everything that descriptions say
 * about rows, on tables that only keep them.
 */
export class SynchronousRows {
  private readonly events: KeptEvents
  // Tables are known by their names, which types cannot follow.
  private readonly tables: ReadonlyMap<string, KeptRows>
  private readonly references: ReadonlyMap<string, ReadonlyArray<Reference>>
  /** The last ids that are reserved for rows that are written later. */
  private readonly reserved = new Map<string, number>()
  /** The tables of whose rows no value can be changed, so that a command can read them as they are. */
  private readonly flat: ReadonlySet<string>

  constructor(events: KeptEvents, keep: (table: AnyTable) => KeptRows) {
    this.events = events
    const all = Object.values(schema).map((table) => table as unknown as AnyTable)
    this.tables = new Map(all.map((table) => [table.name, keep(table)]))
    this.references = new Map(all.map((table) => [table.name, this.referencesOf(table)]))
    this.flat = new Set(
      all.flatMap(({ columns, name }) =>
        Object.values(columns).some(({ isJson, type }) => isJson === true || type === "bytes") ? [] : [name]
      )
    )
  }

  /** A live row. */
  find<Row, K extends Key>(table: Table<Row, K>, key: K): Row | undefined {
    const row = this.load(table, key)
    return row === undefined || table.viewOf !== undefined ? row : table.copy(row)
  }

  findAll<Row, K extends Key>(table: Table<Row, K>, keys: ReadonlyArray<K>): ReadonlyArray<Row> {
    const rows = this.of(table.name)
    return [...new Set(keys)].flatMap((key) => {
      const row = rows.get(key)
      return row === undefined ? [] : [shown(table, row)]
    })
  }

  scan<Row, K extends Key>(table: Table<Row, K>, after: ReadonlyArray<Value>, limit: number): ReadonlyArray<Row> {
    const rows = this.of(table.name).scan(after, limit)
    return rows.map((row) => shown(table, row))
  }

  /** The first rows of a query. */
  select<Row, A, K extends Key>(query: Query<Row, A, K>, argument: A, limit: number): ReadonlyArray<Row> {
    const { isReversed, ranges, table } = query
    const rows = this.of(table.name)
    const asked = ranges(argument)
    const [first] = asked
    if (first === undefined) return []
    const key = asked.length === 1 ? keyIn(table, first) : undefined
    if (key !== undefined) {
      const row = rows.get(key)
      return row !== undefined && rows.table.isLive(row) && hasValues(rows.table, row, first.also)
        ? [shown(table, row)]
        : []
    }
    let listed = asked.flatMap((range) => inRange(rows, range, limit, isReversed))
    if (asked.length > 1) {
      const ascending = sorted(rows.table, first, listed)
      listed = (isReversed ? ascending.toReversed() : ascending).slice(0, limit)
    }
    return listed.map((row) => shown(table, row))
  }

  count<Row, A, K extends Key>({ isReversed, ranges, table }: Query<Row, A, K>, argument: A, most: number): number {
    const rows = this.of(table.name)
    const countIn = (range: Range): number =>
      range.also === undefined && range.words === undefined
        ? rows.count(range, most, isReversed)
        : inRange(rows, range, most, isReversed).length
    return ranges(argument).reduce((count, range) => Math.min(most, count + countIn(range)), 0)
  }

  /** The first rows of one range of a query after the other. */
  claim<Row, A, K extends Key>({ ranges, table }: Query<Row, A, K>, argument: A, limit: number): ReadonlyArray<Row> {
    const rows = this.of(table.name)
    const claimed: Array<object> = []
    for (const range of ranges(argument)) {
      if (claimed.length < limit) claimed.push(...inRange(rows, range, limit - claimed.length))
    }
    return claimed.map((row) => shown(table, row))
  }

  /** Makes changes. Throws if a row must not be stored: an error of the domain, if a value is taken. */
  readonly write = (writes: ReadonlyArray<Write>): void => {
    for (const one of writes) {
      if ("table" in one) this.put(one.table, one.row as object, one.before as object | undefined)
      else if ("log" in one) this.append(one.log, one.rows)
      else if ("remove" in one) this.of(one.remove).remove(one.key)
      else if ("purge" in one) this.purge(one.purge, one.before, one.limit)
      else this.trim(one.trim)
    }
  }

  /** Reads for one command. One runs at a time, so to read a row locks it. */
  source(): Source {
    const added = new Map<string, number>()
    const { events } = this
    return {
      storesNew: false,
      load: (_, table, key) => (this.flat.has(table.name) ? this.load(table, key) : this.find(table, key)),
      findAll: (table, keys) => this.findAll(table, keys),
      select: (query, argument, limit) => this.select(query, argument, limit),
      count: (query, argument, most) => this.count(query, argument, most),
      claim: (query, argument, limit) => this.claim(query, argument, limit),
      scan: (after, limit) => events.list(after, limit),
      last: () => events.last,
      insert: ({ name }, rowsOf) => {
        const last = added.get(name) ?? this.lastIdOf(name)
        added.set(name, last + rowsOf.length)
        return rowsOf.map((rowOf, index) => rowOf(last + 1 + index))
      }
    }
  }

  /** Ids for rows that are written later. */
  reserve<Row>({ name }: Table<Row>, count: number): ReadonlyArray<number> {
    const last = this.lastIdOf(name)
    this.reserved.set(name, last + count)
    return Array.from({ length: count }, (_, index) => last + 1 + index)
  }

  /** The reads of `Storage`, of rows and of events, each made by these calls. */
  ofPort(calls: RowCalls): Rows {
    const { events } = this
    const { defer, ofSubject } = events
    return {
      find: (table, key) => calls.read(() => this.find(table, key)),
      findAll: (table, keys) => calls.read(() => this.findAll(table, keys)),
      scan: (table, after, limit) => calls.read(() => this.scan(table, after, limit)),
      select: (query, argument, limit) => calls.read(() => this.select(query, argument, limit)),
      count: (query, argument, most) => calls.read(() => this.count(query, argument, most)),
      events: {
        latest: calls.read(() => events.last),
        scan: (after, limit) => calls.read(() => events.list(after, limit)),
        ...(defer === undefined
          ? {}
          : { scanDeferred: (after, limit) => calls.read(() => defer.call(events, after, limit)) }),
        ...(ofSubject === undefined
          ? {}
          : { ofSubject: (...place) => calls.read(() => ofSubject.apply(events, place)) }),
        find: (seqs) =>
          calls.read(() => [...new Set(seqs)].sort((a, b) => a - b).flatMap((seq) => events.find(seq) ?? []))
      }
    }
  }

  /** Adds rows of another store, with their ids. */
  restore(name: Exclude<TableName, "events">, records: ReadonlyArray<object>): void {
    for (const row of records) this.add(name, row)
  }

  private load<Row, K extends Key>({ name, viewOf }: Table<Row, K>, key: K): Row | undefined {
    const rows = this.of(name)
    const row = rows.get(key)
    if (row === undefined || !rows.table.isLive(row)) return undefined
    return viewOf === undefined ? (row as Row) : viewOf(row as never)
  }

  private append(log: string, rows: ReadonlyArray<unknown>): void {
    if (log === "events") {
      for (const event of rows) this.events.append(event as EventToAppend)
      return
    }
    const kept = this.of(log)
    const { generatesIds, withId } = kept.table
    for (const row of rows)
      this.add(log, generatesIds ? withId(row as object, this.lastIdOf(log) + 1) : (row as object))
  }

  /** Adds a row of a log, which follows the one before if they are numbered. */
  private add(name: string, row: object): void {
    const kept = this.of(name)
    const { columns, key, numberedBy } = kept.table
    if (numberedBy !== undefined) {
      const group = columns[numberedBy]?.read(row)
      const numberOf = (one: object | undefined) =>
        one === undefined ? 0 : Number(columns[key.at(-1) ?? ""]?.read(one))
      const [last] = kept.select({ equal: { [numberedBy]: group } }, 1, true)
      if (numberOf(row) !== numberOf(last) + 1) {
        throw new Error(`The row ${numberOf(row)} of ${group} in ${name} does not follow row ${numberOf(last)}`)
      }
      this.check(kept, row)
      kept.put(row)
    } else this.put(name, row, undefined)
  }

  private put(name: string, row: object, before: object | undefined): void {
    const kept = this.of(name)
    const { existing, keyOf } = kept.table
    const key = keyOf(row)
    const stored = kept.get(key)
    if (before === undefined && stored !== undefined) {
      if (existing === "kept") return
      if (existing === undefined) throw new Error(`There is already a row ${key} of ${name}`)
    }
    this.check(kept, row)
    const taken = kept.takenBy(row)
    if (taken !== undefined) throw taken
    kept.put(row)
  }

  /** Throws if something about a row is impossible, or if a row that it refers to is missing. */
  private check({ table: { name, problemOf } }: KeptRows, row: object): void {
    const problem = problemOf?.(row)
    if (problem !== undefined) throw new Error(problem)
    for (const { read, rows } of this.references.get(name) ?? []) {
      const key = read(row)
      if (key !== undefined && key !== null && rows.get(key as Key) === undefined) {
        throw new Error(`There is no row ${key} of ${rows.table.name}`)
      }
    }
  }

  private purge(name: string, before: string, limit: number): void {
    const kept = this.of(name)
    for (const row of kept.select({ index: "age", before }, limit)) kept.remove(kept.table.keyOf(row))
  }

  private trim(through: number): void {
    const last = Math.min(through, this.events.last - 1)
    const included = this.load(checkpoints, logSubject)?.seq ?? 0
    if (last > included) throw new Error(`The checkpoint includes the events up to ${included}, not ${last}`)
    this.events.trim(last)
  }

  private lastIdOf(name: string): number {
    return Math.max(this.of(name).lastId, this.reserved.get(name) ?? 0)
  }

  private referencesOf({ columns, references }: AnyTable): ReadonlyArray<Reference> {
    return Object.entries(references).flatMap(([column, other]) => {
      const read = columns[column]?.read
      return read === undefined ? [] : [{ read, rows: this.of(other) }]
    })
  }

  private of(name: string): KeptRows {
    const rows = this.tables.get(name)
    if (rows === undefined) throw new Error(`There is no table ${name}`)
    return rows
  }
}

/** How many rows are read at a time to find those that a table has no index of. */
const searchedRows = 1_000

/** The rows of a range, of which a table knows neither `also` nor `words`. */
const inRange = (rows: KeptRows, range: Range, limit: number, isReversed = false): ReadonlyArray<object> => {
  const { also, words, ...indexed } = range
  if (also === undefined && words === undefined) return rows.select(indexed, limit, isReversed)
  const { order, reading } = rangeOf(rows.table, range)
  const readers = order.map(reading)
  const matching: Array<object> = []
  let next: Range | undefined = indexed
  while (next !== undefined && matching.length < limit) {
    const page: ReadonlyArray<object> = rows.select(next, searchedRows, isReversed)
    for (const row of page) if (hasValues(rows.table, row, also) && hasWords(rows.table, row, range)) matching.push(row)
    const last = page.length < searchedRows ? undefined : page.at(-1)
    next = last === undefined ? undefined : { ...indexed, after: readers.map((read) => read(last)) }
  }
  return matching.slice(0, limit)
}

/** The key of a range that has nothing else of it. */
const keyIn = <Row, K extends Key>({ key }: Table<Row, K>, { equal = {}, index }: Range): Key | undefined => {
  const [id = ""] = key
  const value = index === undefined && key.length === 1 ? equal[id] : undefined
  return typeof value === "number" || typeof value === "string" ? value : undefined
}

const hasValues = ({ columns }: AnyTable, row: object, values: Range["also"]): boolean => {
  for (const name in values) if (columns[name]?.read(row) !== values[name]) return false
  return true
}

/** A copy of a row, or what a view shows of it. */
const shown = <Row, K extends Key>({ copy, viewOf }: Table<Row, K>, row: object): Row =>
  viewOf === undefined ? copy(row as Row) : viewOf(row as never)

/** Rows of several ranges in the order that these have. */
const sorted = (table: AnyTable, range: Range, rows: ReadonlyArray<object>): ReadonlyArray<object> => {
  const { order, reading } = rangeOf(table, range)
  const readers = order.map(reading)
  return rows.toSorted((one, other) => {
    for (const read of readers) {
      const compared = compareValues(read(one), read(other))
      if (compared !== 0) return compared
    }
    return 0
  })
}
