import type * as Toolkit from "@petstore/core/adapter-toolkit"
import { holdsAll, isInRange, type Range, rangeOf, type Value } from "@petstore/core/kernel"
import type { Key, RootDatabase } from "lmdb"

/** Keys are lists, and LMDB keeps them in order: by their first part, then by the next one. */
export type Root = RootDatabase<unknown, Array<Key>>

/** Sorts behind every number and text. */
const beyond = new Uint8Array([0xff])

/** For values that are absent: sorts before every number and text. */
const absent = false

const partOf = (value: Value): Key => value ?? absent

type Row = object
type AnyKey = number | string

/**
 * Rows at [table, "row", ...key], and for each index that contains them an entry without content at
 * [table, index, ...equal values, ...values of its order, ...key].
 */
export class LmdbTable implements Toolkit.KeptRows {
  readonly table: Toolkit.AnyTable
  private readonly root: Root

  constructor(root: Root, table: Toolkit.AnyTable) {
    this.root = root
    this.table = table
  }

  get(key: AnyKey): Row | undefined {
    return this.root.get(this.place("row", this.table.keyValues(key))) as Row | undefined
  }

  get lastId(): number {
    const [row] = this.keys("row", [], {}, true)
    return Number(row?.at(-1) ?? 0)
  }

  scan(after: ReadonlyArray<Value>, limit: number): Array<Row> {
    return this.rowsAt(this.keys("row", [], { after }), limit)
  }

  select(range: Range, limit: number, isReversed = false): Array<Row> {
    const isLive = range.index === undefined ? this.table.isLive : undefined
    return this.rowsAt(this.keysOf(range, isReversed), limit, isLive)
  }

  count(range: Range, most: number, isReversed = false): number {
    if (range.index === undefined) return this.select(range, most, isReversed).length
    let count = 0
    for (const _ of this.keysOf(range, isReversed)) if (++count >= most) return most
    return count
  }

  takenBy(row: Row): Error | undefined {
    for (const [index, { equal = [], isUnique, order = [], taken }] of Object.entries(this.table.indexes)) {
      const of = (columns: ReadonlyArray<string>) => columns.map((column) => this.read(column, row))
      const range = { index, equal: Object.fromEntries(equal.map((column) => [column, this.read(column, row)])) }
      if (isUnique !== true || !isInRange(this.table, range, row)) continue
      const [found] = this.rowsAt(this.keys(index, [...of(equal), ...of(order)]), 1)
      if (found === undefined || this.table.keyOf(found) === this.table.keyOf(row)) continue
      return taken?.(row) ?? new Error(`Another row of ${this.table.name} has the same ${index}`)
    }
    return undefined
  }

  put(row: Row): void {
    this.remove(this.table.keyOf(row))
    for (const entry of this.entriesOf(row)) this.root.putSync(entry, entry[1] === "row" ? row : null)
  }

  remove(key: AnyKey): void {
    const row = this.get(key)
    if (row !== undefined) for (const entry of this.entriesOf(row)) this.root.removeSync(entry)
  }

  /** Where the entries do not agree with the rows. */
  problems(): ReadonlyArray<string> {
    const { name } = this.table
    const stored = this.root.getKeysCount({ start: [name], end: [name, beyond] })
    const expected = this.scan([], Number.POSITIVE_INFINITY).flatMap((row) => this.entriesOf(row))
    const agree = stored === expected.length && expected.every((entry) => this.root.doesExist(entry))
    return agree ? [] : [`${name}: the entries do not agree with the rows`]
  }

  private read(column: string, row: Row): Value {
    return (this.table.computed[column] ?? this.table.columns[column])?.read(row)
  }

  private place(index: string, values: ReadonlyArray<Value>): Array<Key> {
    return [this.table.name, index, ...values.map(partOf)]
  }

  private entriesOf(row: Row): ReadonlyArray<Array<Key>> {
    const { columns, indexes, keyOf, keyValues } = this.table
    const key = keyValues(keyOf(row))
    const entries = Object.entries(indexes).flatMap(([index, { equal = [], order = [], where = [] }]) => {
      const values = [...equal, ...order].map((column) => this.read(column, row))
      return holdsAll(columns, where)(row) ? [this.place(index, [...values, ...key])] : []
    })
    return [this.place("row", key), ...entries]
  }

  private keysOf(range: Range, isReversed = false): Iterable<Array<Key>> {
    const { equal = {}, index } = range
    const { order } = rangeOf(this.table, range)
    const named = index === undefined ? this.table.key.filter((column) => !order.includes(column)) : undefined
    const columns = named ?? this.table.indexes[index ?? ""]?.equal ?? []
    return this.keys(
      index ?? "row",
      columns.map((column) => equal[column]),
      range,
      isReversed
    )
  }

  /** The keys of rows or entries that begin with some values, between two positions. */
  private *keys(
    index: string,
    values: ReadonlyArray<Value>,
    range: Range = {},
    reverse = false
  ): Generator<Array<Key>> {
    const { after = [], before, from, to } = range
    const prefix = this.place(index, values)
    // Rows that have no value sort first, and are in no range that ends at one.
    const first = to === undefined && before === undefined ? [] : [absent, beyond]
    const position = after.map(partOf)
    const [isAfter, isBefore] = [position.length > 0 && !reverse, position.length > 0 && reverse]
    const start = isAfter ? [...position, beyond] : from === undefined ? first : [partOf(from)]
    const end = to !== undefined ? [partOf(to), beyond] : [before === undefined ? beyond : partOf(before)]
    const [low, high] = [
      [...prefix, ...start],
      [...prefix, ...(isBefore ? position : end)]
    ]
    const size = this.table.key.length
    const bounds = reverse ? { start: high, end: low, reverse, exclusiveStart: isBefore } : { start: low, end: high }
    const found = this.root.getKeys(bounds)
    for (const key of found) yield key.slice(-size)
  }

  private rowsAt(keys: Iterable<Array<Key>>, limit: number, matches = (_row: Row): boolean => true): Array<Row> {
    const rows: Array<Row> = []
    for (const key of keys) {
      if (rows.length >= limit) break
      const row = this.root.get([this.table.name, "row", ...key]) as Row | undefined
      if (row !== undefined && matches(row)) rows.push(row)
    }
    return rows
  }
}
