import type { Query } from "@petstore/core/kernel"
import { type AnyTable, type RowKey, takenIndex } from "../../../sql/tableText.ts"

/** The key of a row, as commands name it. */
export type Key = RowKey

/** A query of rows of any type. */
export type AnyQuery = Query<unknown, unknown, Key>

/** How groups read the rows of a table: they lock those that they may write, and share the others. */
export type Reads = "lock" | "lockShared"

/**
 * Groups do not write rows that may fail for what other rows are, which would end the group; those that a store caches by
 * what its other transactions write; and those whose addition does not show whether they were added.
 */
export const readsOf = (table: AnyTable): Reads =>
  takenIndex(table) !== undefined || table.isCached || table.existing === "kept" ? "lockShared" : "lock"

/** A row that a group holds: as it is stored, and as the commands that have ended have left it. */
export interface Held {
  stored: unknown
  current: unknown
}

/** The rows of one table that a group has locked, and the keys that it has to lock. */
export class HeldTable {
  readonly table: AnyTable
  readonly reading: Reads
  private readonly rows = new Map<Key, Held>()
  private readonly refused = new Set<Key>()
  private wanted = new Set<Key>()
  /** The keys of rows that are not locked, but probably as they are here. */
  readonly guessed = new Set<Key>()

  constructor(table: AnyTable, reading: Reads) {
    this.table = table
    this.reading = reading
  }

  /** Whether a row can be found by its key: by a single column, or one that can be reserved. */
  get hasKeys(): boolean {
    return this.table.key.length === 1 || this.table.busy !== undefined
  }

  find(key: Key): Held | undefined {
    return this.rows.get(key)
  }

  /** Whether another transaction has the row. */
  isRefused(key: Key): boolean {
    return this.refused.has(key)
  }

  want(key: Key): void {
    this.wanted.add(key)
  }

  /** The keys to lock now. */
  takeWanted(): ReadonlyArray<Key> {
    const keys = [...this.wanted]
    this.wanted = new Set()
    return keys
  }

  /** Notes what is stored under a key that the group has locked; undefined if nothing is. A row that it holds stays as it is. */
  locked(key: Key, stored: unknown): void {
    if (!this.rows.has(key)) this.rows.set(key, { stored, current: stored })
  }

  /** Takes what is probably stored under a key for what is. */
  guess(key: Key, row: unknown): void {
    this.guessed.add(key)
    this.locked(key, row)
  }

  /** Wants the rows that were guessed, so that they are locked. Nothing has changed them. */
  forgetGuesses(): void {
    for (const key of this.guessed) {
      this.rows.delete(key)
      this.want(key)
    }
    this.guessed.clear()
  }

  refuse(key: Key): void {
    this.refused.add(key)
  }

  /** Changes a row that the group holds, or adds one with a new key. */
  save(key: Key, row: unknown): void {
    const held = this.rows.get(key)
    if (held === undefined) this.rows.set(key, { stored: undefined, current: row })
    else held.current = row
  }

  /** The rows that a query selects, as commands have left them. `stored`: those in the database. */
  selected(stored: ReadonlyArray<unknown>, query: AnyQuery, argument: unknown): ReadonlyArray<unknown> {
    const { isLive, keyOf } = this.table
    const changed = [...this.rows].filter(([, row]) => row.current !== row.stored)
    if (changed.length === 0) return stored
    const keys = new Set(changed.map(([key]) => key))
    const selected = changed.flatMap(([, { current }]) =>
      current !== undefined && isLive(current) && query.selects(current, argument) ? [current] : []
    )
    const rows = [...stored.filter((row) => !keys.has(keyOf(row))), ...selected]
    return rows.sort((one, other) => query.compare(one, other, argument))
  }

  /** The rows as commands have left them, by their keys. */
  get current(): ReadonlyArray<readonly [Key, unknown]> {
    return [...this.rows].flatMap(([key, { current }]) => (current === undefined ? [] : [[key, current] as const]))
  }

  /** The rows that are not stored. */
  added(): ReadonlyArray<unknown> {
    return [...this.rows.values()].flatMap(({ current, stored }) =>
      stored === undefined && current !== undefined ? [current] : []
    )
  }

  /** The rows that differ from what is stored, with that. */
  changed(): ReadonlyArray<readonly [stored: unknown, row: unknown]> {
    return [...this.rows.values()].flatMap(({ current, stored }) =>
      stored === undefined || current === undefined || current === stored ? [] : [[stored, current] as const]
    )
  }
}
