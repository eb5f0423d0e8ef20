import { KeyMap } from "./KeyMap.ts"
import { compareKeys, type Filters, type IndexShape, MemoryIndex } from "./MemoryIndex.ts"
import { SortedList } from "./SortedList.ts"

/** What a table is made of. */
export interface TableShape<K, Row> extends IndexShape<Row> {
  /** The name of a row in messages. */
  readonly name: string
  readonly keyOf: (row: Row) => K
  /** Rows are copied in and out, so that a caller who changes a record does not change the table. */
  readonly copy: (row: Row) => Row
  /** The lists of rows that belong to somebody. */
  readonly owned?: IndexShape<Row>
}

/** Rows by key, with sorted indexes that follow every change. Each change adds a step to `undo` that reverts it. */
export class MemoryTable<K extends number | string, Row extends object> {
  private readonly undo: Array<() => void>
  private readonly shape: TableShape<K, Row>
  private readonly rows = new KeyMap<K, Row>()
  private readonly all = new SortedList<K>(compareKeys)
  private readonly listed: MemoryIndex<K, Row>
  private readonly sorted: MemoryIndex<K, Row>
  private readonly owned: MemoryIndex<K, Row> | undefined
  private readonly indexes: ReadonlyArray<MemoryIndex<K, Row>>

  constructor(undo: Array<() => void>, shape: TableShape<K, Row>) {
    this.undo = undo
    this.shape = shape
    const rowOf = (key: K) => this.rows.get(key)
    this.listed = new MemoryIndex({ filtersOf: shape.filtersOf, hasFew: shape.hasFew }, rowOf)
    this.sorted = shape.sortedBy === undefined ? this.listed : new MemoryIndex(shape, rowOf)
    this.owned = shape.owned && new MemoryIndex(shape.owned, rowOf)
    this.indexes = [...new Set([this.listed, this.sorted, ...(this.owned === undefined ? [] : [this.owned])])]
  }

  /** The number of rows, tombstones included. */
  get size(): number {
    return this.rows.size
  }

  /** The greatest key. */
  get lastKey(): K | undefined {
    return this.all.last
  }

  /** The row of a key, tombstones included. It is the stored one, which callers must not change or keep. */
  get(key: K): Row | undefined {
    return this.rows.get(key)
  }

  /** The row of a key, unless it is in no list. */
  find(key: K): Row | undefined {
    const row = this.get(key)
    return row !== undefined && this.listed.isListed(row) ? this.shape.copy(row) : undefined
  }

  /** The rows with keys above `after`, tombstones included, at most `limit`. */
  scan(after: K, limit: number): Array<Row> {
    return this.page(
      this.all.from((key) => key <= after),
      limit
    )
  }

  /** The rows that these filters select, with keys above `after`, at most `limit`. */
  list(filters: Filters, after: K, limit: number): Array<Row> {
    return this.page(
      this.listed.from(filters, (key) => key <= after),
      limit
    )
  }

  /** The same of the rows that belong to somebody. */
  listOwned(filters: Filters, after: K, limit: number): Array<Row> {
    return this.page(this.owned?.from(filters, (key) => key <= after) ?? [], limit)
  }

  /** How many rows these filters select. */
  count(filters: Filters): number {
    return this.listed.count(filters)
  }

  /** The last row that these filters select. */
  last(filters: Filters): Row | undefined {
    const key = this.listed.last(filters)
    const row = key === undefined ? undefined : this.get(key)
    return row === undefined ? undefined : this.shape.copy(row)
  }

  /**
   * The rows that these filters select, sorted by their text, from the first for which `isBefore` is false up to the first
   * for which `isWithin` is false, at most `limit`.
   */
  range(filters: Filters, isBefore: (row: Row) => boolean, isWithin: (row: Row) => boolean, limit: number): Array<Row> {
    return this.page(
      this.sorted.from(filters, (key) => {
        const row = this.get(key)
        return row !== undefined && isBefore(row)
      }),
      limit,
      isWithin
    )
  }

  /** Writes a row, in place of the one with its key if there is one. */
  put(row: Row): void {
    this.set(this.shape.keyOf(row), this.shape.copy(row))
  }

  /** Writes a new row. Throws if there is one with its key. */
  add(row: Row): void {
    const key = this.shape.keyOf(row)
    if (this.rows.has(key)) throw new Error(`There is already the ${this.shape.name} ${key}`)
    this.set(key, this.shape.copy(row))
  }

  /** Writes a row in place of the one with its key. Throws if there is none. */
  replace(row: Row): void {
    const key = this.shape.keyOf(row)
    if (!this.rows.has(key)) throw new Error(`There is no ${this.shape.name} ${key} to save`)
    this.set(key, this.shape.copy(row))
  }

  /**
   * Writes a row in place of the one with its key, which all lists select and sort alike. Throws if there is none. The table keeps
   * this row itself: it must be a copy.
   */
  replaceAlike(row: Row): void {
    this.setAlike(this.shape.keyOf(row), row)
  }

  remove(row: Row): void {
    this.set(this.shape.keyOf(row), undefined)
  }

  /** Messages about indexes that do not agree with the rows. */
  problems(): ReadonlyArray<string> {
    const { keyOf, name } = this.shape
    const rows = [...this.rows.values()]
    const agree = this.all.size === rows.length && rows.every((row) => this.all.has(keyOf(row)))
    return agree && this.indexes.every((index) => index.agreesWith(rows, keyOf))
      ? []
      : [`An index of the ${name} rows does not agree with them`]
  }

  private page(keys: Iterable<K>, limit: number, isWithin: (row: Row) => boolean = () => true) {
    const page: Array<Row> = []
    if (limit < 1) return page
    for (const key of keys) {
      const row = this.get(key)
      if (row === undefined || !isWithin(row) || page.push(this.shape.copy(row)) === limit) break
    }
    return page
  }

  private set(key: K, row: Row | undefined): void {
    const before = this.get(key)
    this.undo.push(() => this.set(key, before))
    if (before === undefined) {
      if (row !== undefined) this.insert(key, row)
      return
    }
    const joins = this.indexes.map((index) => index.leave(key, before, row))
    if (row === undefined) {
      this.rows.delete(key)
      this.all.remove(key)
      return
    }
    this.rows.set(key, row)
    this.indexes.forEach((index, place) => {
      index.join(key, row, joins[place])
    })
  }

  private setAlike(key: K, row: Row): void {
    const before = this.get(key)
    if (before === undefined) throw new Error(`There is no ${this.shape.name} ${key} to save`)
    this.undo.push(() => this.setAlike(key, before))
    this.rows.set(key, row)
  }

  private insert(key: K, row: Row): void {
    this.rows.set(key, row)
    this.all.add(key)
    for (const index of this.indexes) index.join(key, row)
  }
}
