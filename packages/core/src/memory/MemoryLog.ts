import { SortedList } from "./SortedList.ts"

/** The rows of a group, from the number after `before` on; `removed` places at the start are empty. */
interface Rows<Row> {
  before: number
  removed: number
  readonly rows: Array<Row | undefined>
}

/** How many empty places are given back at least at a time. */
const sparePlaces = 1_024

/** Rows that are only added, numbered from 1 in each group without a gap, such as the movements of each pet. */
export class MemoryLog<Group extends number | string, Row extends { readonly seq: number }> {
  private readonly undo: Array<() => void>
  private readonly copy: (row: Row) => Row
  private readonly groups = new Map<Group, Rows<Row>>()
  private readonly order = new SortedList<Group>((a, b) => (a < b ? -1 : a > b ? 1 : 0))

  constructor(undo: Array<() => void>, copy: (row: Row) => Row) {
    this.undo = undo
    this.copy = copy
  }

  /** The number of rows of all groups. */
  get size(): number {
    let size = 0
    for (const { removed, rows } of this.groups.values()) size += rows.length - removed
    return size
  }

  /** The `seq` of the last row of a group; 0 if there is none. */
  last(group: Group): number {
    const { before, rows } = this.groups.get(group) ?? { before: 0, rows: [] }
    return before + rows.length
  }

  /** The rows of a group with a `seq` above `after`, at most `limit`. */
  list(group: Group, after: number, limit: number): Array<Row> {
    const { before, removed, rows } = this.groups.get(group) ?? { before: 0, removed: 0, rows: [] }
    const start = Math.max(after - before, removed)
    return rows.slice(start, start + limit).flatMap((row) => (row === undefined ? [] : this.copy(row)))
  }

  /** The row of a group with this `seq`. */
  find(group: Group, seq: number): Row | undefined {
    const { before, rows } = this.groups.get(group) ?? { before: 0, rows: [] }
    const row = rows[seq - before - 1]
    return row === undefined ? undefined : this.copy(row)
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
    const found = this.groups.get(group) ?? this.begin(group, 0)
    const last = found.before + found.rows.length
    if (row.seq !== last + 1) throw new Error(`The row ${row.seq} of ${group} does not follow row ${last}`)
    found.rows.push(this.copy(row))
    this.undo.push(() => {
      found.rows.pop()
    })
  }

  /** Adds a group without rows, whose next row follows this number. */
  begin(group: Group, before: number): Rows<Row> {
    const begun: Rows<Row> = { before, removed: 0, rows: [] }
    this.groups.set(group, begun)
    this.order.add(group)
    this.undo.push(() => {
      this.groups.delete(group)
      this.order.remove(group)
    })
    return begun
  }

  /** Removes the rows of a group up to this number. */
  trim(group: Group, through: number): void {
    const found = this.groups.get(group)
    if (found === undefined) return
    if (found.removed >= sparePlaces && found.removed >= found.rows.length / 2) {
      found.rows.splice(0, found.removed)
      found.before += found.removed
      found.removed = 0
    }
    const { removed, rows } = found
    const end = Math.min(through - found.before, rows.length)
    if (end <= removed) return
    const gone = rows.slice(removed, end)
    rows.fill(undefined, removed, end)
    found.removed = end
    const start = found.before + removed
    this.undo.push(() => {
      // A later removal may have given the places back.
      const missing = Math.max(found.before - start, 0)
      if (missing > 0) rows.unshift(...Array.from<undefined>({ length: missing }))
      found.before -= missing
      gone.forEach((row, index) => {
        rows[start - found.before + index] = row
      })
      found.removed = start - found.before
    })
  }
}
