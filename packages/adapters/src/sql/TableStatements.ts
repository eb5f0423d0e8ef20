import { StorageBusy } from "@petstore/core/domain"
import {
  Failed,
  hasOneRow,
  isInRange,
  type Query,
  type Range,
  type Stored,
  type Table,
  type Write
} from "@petstore/core/kernel"
import type { EventRows, Rows, StorageError } from "@petstore/core/ports"
import { Filter, type MergeRanges, orderBy, rangeFilter } from "./IndexRange.ts"
import { oneOf } from "./oneOf.ts"
import { Asked, type Asking, all, Claimed, first, type Program, type Statement, type Use } from "./Program.ts"
import { decoderOf } from "./rowFunctions.ts"
import { ShapedStatements } from "./ShapedStatements.ts"
import type { Sql } from "./Sql.ts"
import {
  bareName,
  conditionsText,
  indexRange,
  keyCondition,
  nameOf,
  othersText,
  type RowKey,
  selectFor,
  selectLiveText,
  selectText,
  type TakenIndex,
  takenIndex
} from "./tableText.ts"
import type { Value } from "./Value.ts"

/** A row to save, and the one that it replaces. */
interface Saved<Row> {
  readonly row: Row
  readonly before: Row | undefined
}

const toCount = ({ counted }: { readonly counted: number }): number => Number(counted)

/** How the rows of one table, or of a view of it, are found: its statements are made of its description. */
class TableStatements<Row, Key extends RowKey> {
  /** The index whose values another row may have. */
  readonly takenIndex: TakenIndex<Row> | undefined
  private readonly table: Table<Row, Key>
  private readonly live: Readonly<Record<Exclude<Use, "lockFree" | "write">, Statement<Row | undefined>>>
  private readonly stored: Statement<Row | undefined>
  /** The statements that scan, by how many columns they begin behind. */
  private readonly pages: Array<Statement<ReadonlyArray<Row>>> = []
  private readonly decode: (stored: Stored) => Row
  /** The statements that find the only row of a range, by its columns. */
  private readonly ones = new Map<string, Statement<ReadonlyArray<Row>>>()
  private readonly lists: ShapedStatements<Row, Key, ReadonlyArray<Row>>
  private readonly counts: ShapedStatements<Row, Key, number | undefined>
  private readonly claims: ShapedStatements<Row, Key, ReadonlyArray<Row>>

  constructor(table: Table<Row, Key>) {
    this.table = table
    this.takenIndex = takenIndex(table)
    const decode = decoderOf(table)
    this.decode = decode
    const select = (ranges: ReadonlyArray<Range>) => selectFor(table, ranges)
    this.lists = new ShapedStatements(table, select, (text) => all(text, decode))
    this.claims = new ShapedStatements(table, select, (text) => all(text, decode, "lockFree"))
    this.counts = new ShapedStatements(
      table,
      () => `SELECT 1 FROM ${nameOf(table)}`,
      (text) => first(text, toCount)
    )
    const live = selectLiveText(table)
    this.live = {
      read: first(live, decode),
      lock: first(live, decode, "lock"),
      lockShared: first(live, decode, "lockShared")
    }
    this.stored = first(`${selectText(table)} WHERE ${keyCondition(table)}`, decode, "lock")
  }

  find(key: Key): Asked<Row | undefined> {
    return new Asked(this.live.read, this.table.keyValues(key))
  }

  /** A row, whether or not commands find it. */
  findStored(key: Key): Asked<Row | undefined> {
    return new Asked(this.stored, this.table.keyValues(key))
  }

  findAll(keys: ReadonlyArray<Key>): Asked<ReadonlyArray<Row>> {
    const { key, keyValues } = this.table
    const { condition, values } = oneOf(key, keys.map(keyValues))
    return new Asked(all(`${selectText(this.table)} WHERE ${condition}`, this.decode), values)
  }

  *lock(key: Key, isShared: boolean): Asking<Row | undefined> {
    const { busy, keyValues, name } = this.table
    const values = keyValues(key)
    if (busy !== undefined && !(yield* new Claimed(name, values))) {
      return yield* failed(busy(new Error(`Another transaction holds the row ${key} of ${name}`)))
    }
    return yield* new Asked(isShared ? this.live.lockShared : this.live.lock, values)
  }

  /** Locks rows by their keys, in ascending order. */
  lockAll(keys: ReadonlyArray<Key>): Asked<ReadonlyArray<Row>> {
    const { key, keyValues, live } = this.table
    const { condition, values } = oneOf(key, keys.map(keyValues))
    const conditions = live.length === 0 ? `(${condition})` : `(${condition}) AND ${conditionsText(live)}`
    const text = `${selectText(this.table)} WHERE ${conditions} ORDER BY ${key.join(", ")}`
    return new Asked(all(text, this.decode, "lock"), values)
  }

  /** Behind the values of some of the columns of a key, or from the first row. */
  scan(after: ReadonlyArray<Value>, limit: number): Asked<ReadonlyArray<Row>> {
    const { length } = after
    let page = this.pages[length]
    if (page === undefined) {
      const { key } = this.table
      const columns = key.slice(0, length).join(", ")
      const from =
        length === 0
          ? ""
          : length === 1
            ? ` WHERE ${columns} > ?`
            : ` WHERE (${columns}) > (${after.map(() => "?").join(", ")})`
      page = all(`${selectText(this.table)}${from} ORDER BY ${key.join(", ")} LIMIT ?`, this.decode)
      this.pages[length] = page
    }
    return new Asked(page, [...after, limit])
  }

  select<Argument>(
    { isReversed, ranges }: Query<Row, Argument, Key>,
    argument: Argument,
    limit: number,
    merge: MergeRanges
  ): Program<ReadonlyArray<Row>> {
    const places = ranges(argument)
    const [only] = places
    if (only === undefined) return noRows
    return places.length === 1 && only.index === undefined && hasOneRow(this.table, only)
      ? this.one(only)
      : this.lists.asked(merge, places, limit, isReversed)
  }

  /** The first rows that a query of one range or more selects, as one statement. */
  list<Argument>(
    { isReversed, ranges }: Query<Row, Argument, Key>,
    argument: Argument,
    limit: number,
    merge: MergeRanges
  ): Asked<ReadonlyArray<Row>> {
    return this.lists.asked(merge, ranges(argument), limit, isReversed)
  }

  *count<Argument>(
    { isReversed, ranges }: Query<Row, Argument, Key>,
    argument: Argument,
    most: number
  ): Asking<number> {
    let counted = 0
    for (const range of ranges(argument)) {
      if (counted >= most) break
      counted += (yield* this.counts.asked(countIn, [range], most - counted, isReversed)) ?? 0
    }
    return counted
  }

  /** Locks the rows of one range after the other. */
  *claim<Argument>(
    { isReversed, ranges }: Query<Row, Argument, Key>,
    argument: Argument,
    limit: number
  ): Asking<ReadonlyArray<Row>> {
    const claimed: Array<Row> = []
    for (const range of ranges(argument)) {
      if (claimed.length >= limit) break
      claimed.push(...(yield* this.claims.asked(inOrder, [range], limit - claimed.length, isReversed)))
    }
    return claimed
  }

  /** Fails with the error of a row whose values another one has, unless a write before it gives them up. */
  *requireFree({ before, row }: Saved<Row>, earlier: () => ReadonlyArray<Write>): Asking<void> {
    const { takenIndex: index, table } = this
    if (index === undefined || !this.isMoved(row, before, index)) return
    const values = index.columns.map((name) => this.read(name, row))
    // A row that is not there yet cannot be locked.
    yield* claimed(`${bareName(table.name)} ${index.name}`, values)
    const others = all(`${selectText(table)} WHERE ${othersText(table, index)} LIMIT 1`, this.decode)
    const [other] = yield* new Asked(others, [...values, ...table.keyValues(table.keyOf(row))])
    if (other === undefined) return
    const isGivenUp = earlier().some((write) => {
      if ("remove" in write) return write.remove === table.name && write.key === table.keyOf(other)
      if (!("table" in write) || write.table !== table.name || write.key !== table.keyOf(other)) return false
      return this.isMoved(other, write.row as Row, index)
    })
    if (!isGivenUp) yield* failed(index.taken(row))
  }

  /** The only row of a range of the key. */
  private one(range: Range): Asked<ReadonlyArray<Row>> {
    const values: Array<Value> = []
    let shape = ""
    for (const part of [range.equal, range.also]) {
      for (const column in part) {
        shape += ` ${column}`
        values.push(part[column])
      }
      shape += ","
    }
    let statement = this.ones.get(shape)
    if (statement === undefined) {
      const { text } = rangeFilter(selectText(this.table), indexRange(this.table, range))
      statement = { ...all(text, this.decode), isList: false }
      this.ones.set(shape, statement)
    }
    return new Asked(statement, values)
  }

  /** Whether a row is in an index with other values than one before it. */
  private isMoved(row: Row, before: Row | undefined, { columns, name }: TakenIndex<Row>): boolean {
    if (!isInRange(this.table, { index: name }, row)) return false
    if (before === undefined || !isInRange(this.table, { index: name }, before)) return true
    return columns.some((column) => this.read(column, row) !== this.read(column, before))
  }

  private read(column: string, row: Row): Value {
    return this.table.columns[column]?.read(row)
  }
}

const noRows: Program<ReadonlyArray<never>> = {
  *[Symbol.iterator]() {
    return []
  }
}

const noFilter = new Filter("")

const countIn: MergeRanges = (select, ranges, limit, isReversed) => {
  const [{ text, values } = noFilter] = ranges.map((range) => rangeFilter(select, range, isReversed))
  return { text: `SELECT count(*) AS counted FROM (${text} LIMIT ?) AS found`, values: [...values, limit] }
}

/** The first rows of a range. */
const inOrder: MergeRanges = (select, ranges, limit, isReversed) => {
  const [{ text, values } = noFilter] = ranges.map((range) => rangeFilter(select, range, isReversed))
  return { text: `${text}${orderBy(ranges, isReversed)} LIMIT ?`, values: [...values, limit] }
}

/** Fails with an error that a description gives, among those of a store. */
const failed = (error: Error): Failed<StorageError> => new Failed(error as StorageError)

/** Reserves a name with values until the transaction ends. Fails if another one has held it for too long. */
export function* claimed(name: string, values: ReadonlyArray<Value>): Asking<void> {
  if (!(yield* new Claimed(name, values))) {
    yield* failed(new StorageBusy({}, { cause: new Error(`Another transaction holds ${name}`) }))
  }
}

const known = new Map<object, unknown>()

/** How the rows of a table are found. Few tables exist, so all are kept. */
export const rowsOf = <Row, Key extends RowKey>(table: Table<Row, Key>): TableStatements<Row, Key> => {
  let rows = known.get(table)
  if (rows === undefined) {
    rows = new TableStatements(table)
    known.set(table, rows)
  }
  // What the map has for a table was made of it.
  return rows as TableStatements<Row, Key>
}

/** The row operations of the storage port, as statements of a database. */
export const rows = (sql: Sql, merge: MergeRanges, events: EventRows): Rows => ({
  find: (table, key) => sql.read(() => rowsOf(table).find(key)),
  findAll: (table, keys) => sql.read(() => rowsOf(table).findAll(keys)),
  scan: (table, after, limit) => sql.read(() => rowsOf(table).scan(after, limit)),
  select: (query, argument, limit) => sql.read(() => rowsOf(query.table).select(query, argument, limit, merge)),
  count: (query, argument, most) => sql.read(() => rowsOf(query.table).count(query, argument, most)),
  events
})
