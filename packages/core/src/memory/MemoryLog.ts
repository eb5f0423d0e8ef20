import type { Table, Value } from "../engine/Table.ts"
import { KeyMap } from "./KeyMap.ts"
import { SortedList } from "./SortedList.ts"

/** Up to this length an array is copied by `concat`: elsewhere V8 makes room for 16 more rows, which most groups never need. */
const fewRows = 8

/** Rows that are only added, numbered from 1 in each group without a gap, such as the movements of each pet. */
export class MemoryLog<Row extends object> {
  readonly table: Table<Row, string>
  /** Whether rows have no values that can be changed, so that a command can read them as they are. */
  readonly isFlat: boolean
  private readonly undo: Array<() => void>
  private readonly groups = new KeyMap<number, Array<Row>>()
  private readonly order = new SortedList<number>((a, b) => a - b)
  private readonly groupOf: (row: Row) => Value
  private readonly seqOf: (row: Row) => Value

  constructor(undo: Array<() => void>, table: Table<Row, string>) {
    const { columns, key, numberedBy = "" } = table
    this.undo = undo
    this.table = table
    this.isFlat = Object.values(table.columns).every(({ isJson, type }) => isJson !== true && type !== "bytes")
    this.groupOf = columns[numberedBy]?.read ?? never
    this.seqOf = columns[key.at(-1) ?? ""]?.read ?? never
  }

  /** The number of rows of all groups. */
  get size(): number {
    let size = 0
    for (const { length } of this.groups.values()) size += length
    return size
  }

  /** The row of a key. It is the stored one, which callers must not change or keep. */
  get(key: string): Row | undefined {
    const [group, seq] = this.table.keyValues(key)
    return this.groups.get(Number(group))?.[Number(seq) - 1]
  }

  /** The rows of a group with numbers above `after`. */
  list(group: number, after: number, limit: number): ReadonlyArray<Row> {
    const start = Math.max(after, 0)
    return this.groups.get(group)?.slice(start, start + limit) ?? []
  }

  /** The rows of all groups in ascending order, after this position, at most `limit`. */
  scan([group = Number.NEGATIVE_INFINITY, after = Number.POSITIVE_INFINITY]: ReadonlyArray<Value>, limit: number) {
    const found: Array<Row> = []
    for (const next of this.order.from((one) => one < Number(group))) {
      if (found.length >= limit) break
      found.push(...this.list(next, next === group ? Number(after) : 0, limit - found.length))
    }
    return found
  }

  /** Adds a row. Throws if its number does not follow the last one of its group. */
  append(row: Row): void {
    const [group, seq] = [Number(this.groupOf(row)), this.seqOf(row)]
    const found = this.groups.get(group)
    const last = found?.length ?? 0
    if (seq !== last + 1)
      throw new Error(`The row ${seq} of ${group} in ${this.table.name} does not follow row ${last}`)
    const rows = found ?? this.begin(group)
    if (rows.length < fewRows) {
      this.groups.set(group, rows.concat([row]))
      this.undo.push(() => {
        this.groups.set(group, rows)
      })
    } else {
      rows.push(row)
      this.undo.push(() => {
        rows.pop()
      })
    }
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
