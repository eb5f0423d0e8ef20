import { KeyMap } from "./KeyMap.ts"
import { SortedList } from "./SortedList.ts"

/** Where the rows of a group begin: after the number `before`, with `removed` empty places. */
interface Start {
  before: number
  removed: number
}

/** How many empty places are given back at least at a time. */
const sparePlaces = 1_024

/** Up to this length an array is copied when it grows: V8 makes room for 16 more, which most groups never need. */
const fewRows = 8

/** How rows are kept: less than all of them, since the group and the number are known. A row that is loaded is a copy. */
export interface LogFormat<Group, Row, Stored> {
  readonly store: (row: Row) => Stored
  readonly load: (stored: Stored, seq: number, group: Group) => Row
}

/** Rows that are only added, numbered from 1 in each group without a gap, such as the movements of each pet. */
export class MemoryLog<Group extends number | string, Row extends { readonly seq: number }, Stored> {
  private readonly undo: Array<() => void>
  private readonly format: LogFormat<Group, Row, Stored>
  private readonly groups = new KeyMap<Group, Array<Stored | undefined>>()
  /** Those of groups that do not begin with the number 1. */
  private readonly starts = new Map<Group, Start>()
  private readonly order = new SortedList<Group>((a, b) => (a < b ? -1 : a > b ? 1 : 0))

  constructor(undo: Array<() => void>, format: LogFormat<Group, Row, Stored>) {
    this.undo = undo
    this.format = format
  }

  /** The number of rows of all groups. */
  get size(): number {
    let size = 0
    for (const { length } of this.groups.values()) size += length
    for (const { removed } of this.starts.values()) size -= removed
    return size
  }

  /** The `seq` of the last row of a group; 0 if there is none. */
  last(group: Group): number {
    return (this.starts.get(group)?.before ?? 0) + (this.groups.get(group)?.length ?? 0)
  }

  /** The rows of a group with a `seq` above `after`, at most `limit`. */
  list(group: Group, after: number, limit: number): Array<Row> {
    const { before, removed } = this.starts.get(group) ?? { before: 0, removed: 0 }
    const rows = this.groups.get(group) ?? []
    const start = Math.max(after - before, removed)
    return rows
      .slice(start, start + limit)
      .flatMap((row, index) => (row === undefined ? [] : this.format.load(row, before + start + index + 1, group)))
  }

  /** The row of a group with this `seq`. */
  find(group: Group, seq: number): Row | undefined {
    const row = this.groups.get(group)?.[seq - (this.starts.get(group)?.before ?? 0) - 1]
    return row === undefined ? undefined : this.format.load(row, seq, group)
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
    const last = this.last(group)
    if (row.seq !== last + 1) throw new Error(`The row ${row.seq} of ${group} does not follow row ${last}`)
    const rows = this.groups.get(group) ?? this.begin(group, 0)
    const stored = this.format.store(row)
    if (rows.length < fewRows) {
      this.groups.set(group, [...rows, stored])
      this.undo.push(() => {
        this.groups.set(group, rows)
      })
    } else {
      rows.push(stored)
      this.undo.push(() => {
        rows.pop()
      })
    }
  }

  /** Adds a group without rows, whose next row follows this number. */
  begin(group: Group, before: number): Array<Stored | undefined> {
    const rows: Array<Stored | undefined> = []
    this.groups.set(group, rows)
    if (before > 0) this.starts.set(group, { before, removed: 0 })
    this.order.add(group)
    this.undo.push(() => {
      this.groups.delete(group)
      this.starts.delete(group)
      this.order.remove(group)
    })
    return rows
  }

  /** Removes the rows of a group up to this number. */
  trim(group: Group, through: number): void {
    const rows = this.groups.get(group)
    if (rows === undefined) return
    const start = this.starts.get(group) ?? { before: 0, removed: 0 }
    this.starts.set(group, start)
    if (start.removed >= sparePlaces && start.removed >= rows.length / 2) {
      rows.splice(0, start.removed)
      start.before += start.removed
      start.removed = 0
    }
    const { removed } = start
    const end = Math.min(through - start.before, rows.length)
    if (end <= removed) return
    const gone = rows.slice(removed, end)
    rows.fill(undefined, removed, end)
    start.removed = end
    const first = start.before + removed
    this.undo.push(() => {
      // A later removal may have given the places back.
      const missing = Math.max(start.before - first, 0)
      if (missing > 0) rows.unshift(...Array.from<undefined>({ length: missing }))
      start.before -= missing
      gone.forEach((row, index) => {
        rows[first - start.before + index] = row
      })
      start.removed = first - start.before
    })
  }
}
