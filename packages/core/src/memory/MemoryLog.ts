import type { AnyTable, KeptRows } from "../adapter-toolkit/SynchronousRows.ts"
import type { Range, Value } from "../kernel/Table.ts"
import { KeyMap } from "./KeyMap.ts"
import { SortedList } from "./SortedList.ts"

/** Up to this length an array is copied by `concat`: elsewhere V8 makes room for 16 more rows, which most groups never need. */
const fewRows = 8

type Row = object

/** Rows that are only added, numbered from 1 in each group without a gap, such as the movements of each pet. */
export class MemoryLog implements KeptRows {
  readonly table: AnyTable
  readonly lastId = 0
  private readonly undo: Array<() => void>
  private readonly groups = new KeyMap<number, Array<Row>>()
  private readonly order = new SortedList<number>((a, b) => a - b)
  private readonly groupOf: (row: Row) => Value

  constructor(undo: Array<() => void>, table: AnyTable) {
    const { columns, numberedBy = "" } = table
    this.undo = undo
    this.table = table
    this.groupOf = columns[numberedBy]?.read ?? never
  }

  /** The number of rows of all groups. */
  get size(): number {
    let size = 0
    for (const { length } of this.groups.values()) size += length
    return size
  }

  get(key: number | string): Row | undefined {
    const [group, seq] = this.table.keyValues(key)
    return this.groups.get(Number(group))?.[Number(seq) - 1]
  }

  /** The rows of a group. */
  select({ after: [after] = [], equal = {} }: Range, limit: number, isReversed = false): ReadonlyArray<Row> {
    const group = Number(equal[this.table.numberedBy ?? ""])
    if (!isReversed) return this.list(group, Number(after ?? 0), limit)
    const { length } = this.groups.get(group) ?? []
    const end = Math.max(0, Math.min(length, after === undefined ? length : Number(after) - 1))
    return this.list(group, end - limit, Math.min(end, limit)).toReversed()
  }

  count(range: Range, most: number, isReversed = false): number {
    return this.select(range, most, isReversed).length
  }

  scan([group = Number.NEGATIVE_INFINITY, after = Number.POSITIVE_INFINITY]: ReadonlyArray<Value>, limit: number) {
    const listed: Array<Row> = []
    for (const next of this.order.from((one) => one < Number(group))) {
      if (listed.length >= limit) break
      listed.push(...this.list(next, next === group ? Number(after) : 0, limit - listed.length))
    }
    return listed
  }

  takenBy(): undefined {}

  /** Adds a row that follows the last one of its group. */
  put(row: Row): void {
    const group = Number(this.groupOf(row))
    const rows = this.groups.get(group) ?? this.begin(group)
    const copy = this.table.copy(row)
    if (rows.length < fewRows) {
      this.groups.set(group, rows.concat([copy]))
      this.undo.push(() => {
        this.groups.set(group, rows)
      })
    } else {
      rows.push(copy)
      this.undo.push(() => {
        rows.pop()
      })
    }
  }

  remove(): never {
    throw new Error(`Rows of ${this.table.name} are only added`)
  }

  private list(group: number, after: number, limit: number): ReadonlyArray<Row> {
    const start = Math.max(after, 0)
    return this.groups.get(group)?.slice(start, start + limit) ?? []
  }

  private begin(group: number): Array<Row> {
    const rows: Array<Row> = []
    this.groups.set(group, rows)
    this.order.add(group)
    this.undo.push(() => {
      this.groups.delete(group)
      this.order.remove(group)
    })
    return rows
  }
}

const never = (): Value => undefined
