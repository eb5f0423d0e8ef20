import type { MemoryIndex } from "./MemoryIndex.ts"
import { SortedKeys } from "./SortedKeys.ts"

/** The keys of the rows that have something in common, in ascending order. A row of no group (undefined) is left out. */
export class GroupIndex<K, Row, Group> implements MemoryIndex<K, Row> {
  private readonly compare: (a: K, b: K) => number
  private readonly groupOf: (row: Row) => Group | undefined
  private readonly groups = new Map<Group, SortedKeys<K>>()
  private readonly none: SortedKeys<K>

  constructor(compare: (a: K, b: K) => number, groupOf: (row: Row) => Group | undefined) {
    this.compare = compare
    this.groupOf = groupOf
    this.none = new SortedKeys(compare)
  }

  get size(): number {
    let size = 0
    for (const keys of this.groups.values()) size += keys.size
    return size
  }

  keys(group: Group): SortedKeys<K> {
    return this.groups.get(group) ?? this.none
  }

  move(key: K, before: Row | undefined, after: Row | undefined): void {
    const from = before === undefined ? undefined : this.groupOf(before)
    const to = after === undefined ? undefined : this.groupOf(after)
    if (from === to) return
    if (from !== undefined) this.leave(from, key)
    if (to !== undefined) this.join(to, key)
  }

  covers(row: Row): boolean {
    return this.groupOf(row) !== undefined
  }

  agrees(key: K, row: Row): boolean {
    const group = this.groupOf(row)
    return group === undefined || this.keys(group).has(key)
  }

  private join(group: Group, key: K): void {
    const keys = this.groups.get(group) ?? new SortedKeys(this.compare)
    keys.add(key)
    this.groups.set(group, keys)
  }

  private leave(group: Group, key: K): void {
    const keys = this.keys(group)
    keys.remove(key)
    if (keys.size === 0) this.groups.delete(group)
  }
}
