import type { AnyTable, KeptRows } from "../adapter-toolkit/SynchronousRows.ts"
import { compareValues, isInRange, type Range, type Value } from "../kernel/Table.ts"
import { KeyMap } from "./KeyMap.ts"
import { compareKeys, MemoryIndex } from "./MemoryIndex.ts"
import { SortedList } from "./SortedList.ts"

type Row = object
type Key = number | string

/**
 * Rows by key, with sorted indexes that follow every change: a list of keys for each combination of values that lists select, so that a page costs
 * the same in a store of any size. Each change adds a step to `undo` that reverts it.
 */
export class MemoryTable implements KeptRows {
  readonly table: AnyTable
  private readonly undo: Array<() => void>
  private readonly rows = new KeyMap<Key, Row>()
  private readonly all = new SortedList<Key>(compareKeys)
  private readonly indexes = new Map<string, MemoryIndex<Row, Key>>()
  private readonly unique: ReadonlyArray<string>
  /** What the indexes know of a row, by its name. */
  private readonly indexed = new Map<string, (row: Row) => Value>()
  private readonly keyReaders: ReadonlyArray<(row: Row) => Value>
  private readonly rowOf = (key: Key): Row | undefined => this.rows.get(key)

  constructor(undo: Array<() => void>, table: AnyTable) {
    this.undo = undo
    this.table = table
    this.keyReaders = table.key.map((name) => (row) => this.read(name, row))
    const indexes = Object.entries(table.indexes).filter(([, { option }]) => option === undefined)
    this.unique = indexes.flatMap(([name, { isUnique }]) => (isUnique === true ? [name] : []))
    for (const [name] of indexes) this.build(table, name)
  }

  /** The number of rows, those that are not live included. */
  get size(): number {
    return this.rows.size
  }

  get lastId(): number {
    return Number(this.all.last ?? 0)
  }

  get(key: Key): Row | undefined {
    return this.rows.get(key)
  }

  scan(after: ReadonlyArray<Value>, limit: number): ReadonlyArray<Row> {
    return this.take(
      this.all.from((key) => after.length > 0 && this.compareKey(key, after) <= 0),
      limit
    )
  }

  select(range: Range, limit: number, isReversed = false): ReadonlyArray<Row> {
    if (range.index !== undefined) {
      return this.take(this.indexes.get(range.index)?.from(range, this.rowOf, isReversed) ?? [], limit)
    }
    return this.take(this.keysOf(range, isReversed), limit)
  }

  count(range: Range, most: number, isReversed = false): number {
    const size = this.indexes.get(range.index ?? "")?.sizeOf(range)
    return Math.min(size ?? this.select(range, most, isReversed).length, most)
  }

  takenBy(row: Row): Error | undefined {
    for (const name of this.unique) {
      const index = this.table.indexes[name] ?? {}
      const equal = Object.fromEntries((index.equal ?? []).map((column) => [column, this.read(column, row)]))
      const order = index.order ?? []
      const [only] = order
      const range: Range = {
        index: name,
        equal,
        ...(only === undefined ? {} : { from: this.read(only, row), to: this.read(only, row) })
      }
      if (!isInRange(this.table, range, row)) continue
      const [other] = this.select(range, 1)
      if (other === undefined || this.table.keyOf(other) === this.table.keyOf(row)) continue
      return (
        index.taken?.(row) ?? new Error(`There is another row of ${this.table.name} with the values of its ${name}`)
      )
    }
    return undefined
  }

  put(row: Row): void {
    this.set(this.table.keyOf(row), this.table.copy(row))
  }

  remove(key: Key): void {
    this.set(key, undefined)
  }

  /** Adds an index of the table, or of a description of it that computes more, unless it has it. */
  build(table: AnyTable, name: string): void {
    if (this.indexes.has(name)) return
    const index = new MemoryIndex(table, name, this.rowOf)
    for (const row of this.rows.values()) index.join(table.keyOf(row), row)
    this.indexes.set(name, index)
    const { equal = [], order = [], where = [] } = table.indexes[name] ?? {}
    for (const column of [...equal, ...order, ...where.map((condition) => condition.column)]) {
      const read = (table.computed[column] ?? table.columns[column])?.read
      if (read !== undefined)
        this.indexed.set(table.computed[column] === undefined ? column : `${name} ${column}`, read)
    }
  }

  /** Drops the indexes that options had built, other than these, whose names follow that of their table. */
  keepIndexes(names: ReadonlySet<string>): void {
    for (const name of this.indexes.keys()) {
      if (name.startsWith("by_") && !names.has(`${this.table.name} ${name}`)) this.indexes.delete(name)
    }
  }

  /** Messages about indexes that do not agree with the rows. */
  problems(): ReadonlyArray<string> {
    const rows = [...this.rows.values()]
    const agree = this.all.size === rows.length && rows.every((row) => this.all.has(this.table.keyOf(row)))
    return agree && [...this.indexes.values()].every((index) => index.agreesWith(rows))
      ? []
      : [`An index of ${this.table.name} does not agree with its rows`]
  }

  private read(column: string, row: Row): Value {
    return (this.table.computed[column] ?? this.table.columns[column])?.read(row)
  }

  /** The keys of a range of the key. */
  private *keysOf(range: Range, isReversed: boolean): Generator<Key> {
    const { equal = {}, after = [] } = range
    const start = this.table.key.filter((name) => name in equal).map((name) => equal[name])
    const position = [...start, ...after]
    const isBehind = after.length > 0
    const keys = isReversed
      ? this.all.back((key) => this.compareKey(key, position) < (isBehind ? 0 : 1))
      : this.all.from((key) => this.compareKey(key, position) < (isBehind ? 1 : 0))
    for (const key of keys) {
      if (this.compareKey(key, start) !== 0) return
      const row = this.rowOf(key)
      if (row !== undefined && isInRange(this.table, range, row, isReversed)) yield key
    }
  }

  /** The order of a key and values of its first columns. */
  private compareKey(key: Key, values: ReadonlyArray<Value>): number {
    const row = this.rowOf(key)
    if (row === undefined) return 1
    for (const [place, value] of values.entries()) {
      const compared = compareValues(this.keyReaders[place]?.(row), value)
      if (compared !== 0) return compared
    }
    return 0
  }

  private take(keys: Iterable<Key>, limit: number): ReadonlyArray<Row> {
    const page: Array<Row> = []
    if (limit < 1) return page
    for (const key of keys) {
      const row = this.rowOf(key)
      if (row === undefined || page.push(row) === limit) break
    }
    return page
  }

  private set(key: Key, row: Row | undefined): void {
    const before = this.rows.get(key)
    this.undo.push(() => this.set(key, before))
    if (before === undefined) {
      if (row !== undefined) this.insert(key, row)
      return
    }
    if (row !== undefined && this.isIndexedAlike(row, before)) {
      this.rows.set(key, row)
      return
    }
    const indexes = [...this.indexes.values()].filter((index) => index.leave(key, before, row))
    if (row === undefined) {
      this.rows.delete(key)
      this.all.remove(key)
      return
    }
    this.rows.set(key, row)
    for (const index of indexes) index.join(key, row)
  }

  private isIndexedAlike(one: Row, other: Row): boolean {
    for (const read of this.indexed.values()) if (read(one) !== read(other)) return false
    return true
  }

  private insert(key: Key, row: Row): void {
    this.rows.set(key, row)
    this.all.add(key)
    for (const index of this.indexes.values()) index.join(key, row)
  }
}
