import type { Reading } from "@petstore/core/engine"

/** The key of a row, as commands name it. */
export type Key = number | string

/** A row that a group holds: as it is stored, and as the commands that have ended have left it. */
export interface HeldRow<Row> {
  stored: Row | undefined
  current: Row | undefined
}

/** The rows of one table that a group has locked, and the keys that it has to lock. */
export class HeldTable<Row> {
  /** How the group locks its rows. */
  readonly reading: Reading
  private readonly rows = new Map<Key, HeldRow<Row>>()
  private readonly refused = new Set<Key>()
  private wanted = new Set<Key>()

  constructor(reading: Reading) {
    this.reading = reading
  }

  find(key: Key): HeldRow<Row> | undefined {
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
  locked(key: Key, stored: Row | undefined): void {
    if (!this.rows.has(key)) this.rows.set(key, { stored, current: stored })
  }

  refuse(key: Key): void {
    this.refused.add(key)
  }

  /** Changes a row that the group holds, or adds one with a new key. */
  save(key: Key, row: Row): void {
    const held = this.rows.get(key)
    if (held === undefined) this.rows.set(key, { stored: undefined, current: row })
    else held.current = row
  }

  /** The rows that are not stored. */
  added(): ReadonlyArray<Row> {
    return [...this.rows.values()].flatMap(({ current, stored }) =>
      stored === undefined && current !== undefined ? [current] : []
    )
  }

  /** The rows that differ from what is stored, with that. */
  changed(): ReadonlyArray<readonly [stored: Row, row: Row]> {
    return [...this.rows.values()].flatMap(({ current, stored }) =>
      stored === undefined || current === undefined || current === stored ? [] : [[stored, current] as const]
    )
  }
}
