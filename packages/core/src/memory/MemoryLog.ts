import { KeyMap } from "./KeyMap.ts"
import { SortedList } from "./SortedList.ts"

/** Up to this length an array is copied by `concat`: elsewhere V8 makes room for 16 more rows, which most groups never need. */
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
  private readonly groups = new KeyMap<Group, Array<Stored>>()
  private readonly order = new SortedList<Group>((a, b) => (a < b ? -1 : a > b ? 1 : 0))

  constructor(undo: Array<() => void>, format: LogFormat<Group, Row, Stored>) {
    this.undo = undo
    this.format = format
  }

  /** The number of rows of all groups. */
  get size(): number {
    let size = 0
    for (const { length } of this.groups.values()) size += length
    return size
  }

  /** The `seq` of the last row of a group; 0 if there is none. */
  last(group: Group): number {
    return this.groups.get(group)?.length ?? 0
  }

  /** The rows of a group with a `seq` above `after`, at most `limit`. */
  list(group: Group, after: number, limit: number): Array<Row> {
    const start = Math.max(after, 0)
    const rows = this.groups.get(group)?.slice(start, start + limit) ?? []
    return rows.map((row, index) => this.format.load(row, start + index + 1, group))
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
    const found = this.groups.get(group)
    const last = found?.length ?? 0
    if (row.seq !== last + 1) throw new Error(`The row ${row.seq} of ${group} does not follow row ${last}`)
    const rows = found ?? this.begin(group)
    const stored = this.format.store(row)
    if (rows.length < fewRows) {
      this.groups.set(group, rows.concat([stored]))
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

  private begin(group: Group): Array<Stored> {
    const rows: Array<Stored> = []
    this.groups.set(group, rows)
    this.order.add(group)
    this.undo.push(() => {
      this.groups.delete(group)
      this.order.remove(group)
    })
    return rows
  }
}
