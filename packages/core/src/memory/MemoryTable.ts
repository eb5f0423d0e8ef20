import type { MemoryIndex } from "./MemoryIndex.ts"
import { SortedKeys } from "./SortedKeys.ts"

type IndexesOf<K, Row> = Readonly<Record<string, MemoryIndex<K, Row>>>

/** What a table is made of. */
export interface TableShape<K, Row, Indexes> {
  readonly compare: (a: K, b: K) => number
  /** Rows are copied on the way in and out: what a caller does to its own does not reach the table. */
  readonly copy: (row: Row) => Row
  readonly indexes: Indexes
}

/** Rows by key, in the order of their keys, with indexes that follow every change. */
export class MemoryTable<K, Row, Indexes extends IndexesOf<K, Row> = IndexesOf<K, Row>> {
  readonly keys: SortedKeys<K>
  readonly indexes: Indexes
  private readonly rows = new Map<K, Row>()
  private readonly copy: (row: Row) => Row
  private readonly followers: ReadonlyArray<readonly [name: string, index: MemoryIndex<K, Row>]>

  constructor({ compare, copy, indexes }: TableShape<K, Row, Indexes>) {
    this.keys = new SortedKeys(compare)
    this.copy = copy
    this.indexes = indexes
    this.followers = Object.entries(indexes)
  }

  has(key: K): boolean {
    return this.rows.has(key)
  }

  find(key: K, matches: (row: Row) => boolean = always): Row | undefined {
    const row = this.rows.get(key)
    return row !== undefined && matches(row) ? this.copy(row) : undefined
  }

  /** The rows of these keys that match, at most `limit`. */
  page(keys: Iterable<K>, limit: number, matches: (row: Row) => boolean = always): Array<Row> {
    const page: Array<Row> = []
    if (limit < 1) return page
    for (const key of keys) {
      const row = this.rows.get(key)
      if (row !== undefined && matches(row) && page.push(this.copy(row)) === limit) break
    }
    return page
  }

  /** Sets the row of a key, or removes it, and answers what was there. */
  put(key: K, row: Row | undefined): Row | undefined {
    const before = this.rows.get(key)
    if (row === undefined) {
      this.rows.delete(key)
      this.keys.remove(key)
    } else {
      this.rows.set(key, this.copy(row))
      if (before === undefined) this.keys.add(key)
    }
    for (const [, index] of this.followers) index.move(key, before, row)
    return before
  }

  /** Where keys or indexes do not agree with the rows. */
  problems(table: string): ReadonlyArray<string> {
    const problems: Array<string> = []
    if (this.keys.size !== this.rows.size) problems.push(`${table}: ${this.rows.size} rows, ${this.keys.size} keys`)
    for (const [key, row] of this.rows) {
      if (!this.keys.has(key)) problems.push(`${table}: the key ${key} is missing`)
      for (const [name, index] of this.followers) {
        if (!index.agrees(key, row)) problems.push(`${table}: the index ${name} does not agree with row ${key}`)
      }
    }
    for (const [name, index] of this.followers) {
      const expected = [...this.rows.values()].filter((row) => index.covers(row)).length
      if (index.size !== expected) problems.push(`${table}: the index ${name} has ${index.size} of ${expected} rows`)
    }
    return problems
  }
}

const always = (): boolean => true

/** The id of the next row: rows are never removed, so it was no other row's before. */
export const nextId = <Row>({ keys }: Pick<MemoryTable<number, Row>, "keys">): number => (keys.last ?? 0) + 1
