import { SortedList } from "./SortedList.ts"

/** Rows that are only added, numbered from 1 in each group without a gap, such as the movements of each pet. */
export class MemoryLog<Group extends number | string, Row extends { readonly seq: number }> {
  private readonly undo: Array<() => void>
  private readonly copy: (row: Row) => Row
  private readonly groups = new Map<Group, Array<Row>>()
  private readonly order = new SortedList<Group>((a, b) => (a < b ? -1 : a > b ? 1 : 0))

  constructor(undo: Array<() => void>, copy: (row: Row) => Row) {
    this.undo = undo
    this.copy = copy
  }

  /** The number of rows of all groups. */
  get size(): number {
    let size = 0
    for (const rows of this.groups.values()) size += rows.length
    return size
  }

  /** The `seq` of the last row of a group; 0 if there is none. */
  last(group: Group): number {
    return this.groups.get(group)?.length ?? 0
  }

  /** The rows of a group with a `seq` above `after`, at most `limit`. */
  list(group: Group, after: number, limit: number): Array<Row> {
    const start = Math.max(after, 0)
    return (this.groups.get(group) ?? []).slice(start, start + limit).map(this.copy)
  }

  /** The rows of all groups in ascending order, after this position, at most `limit`. */
  scan(group: Group, after: number, limit: number): ReadonlyArray<Row> {
    const found: Array<Row> = []
    for (const next of this.order.from((one) => one < group)) {
      if (found.length >= limit) break
      found.push(...this.list(next, next === group ? after : 0, limit - found.length))
    }
    return found
  }

  append(group: Group, row: Row): void {
    const rows = this.groups.get(group) ?? []
    if (row.seq !== rows.length + 1)
      throw new Error(`The row ${row.seq} of ${group} does not follow row ${rows.length}`)
    if (rows.length === 0) {
      this.groups.set(group, rows)
      this.order.add(group)
    }
    rows.push(this.copy(row))
    this.undo.push(() => {
      rows.pop()
      if (rows.length > 0) return
      this.groups.delete(group)
      this.order.remove(group)
    })
  }
}
