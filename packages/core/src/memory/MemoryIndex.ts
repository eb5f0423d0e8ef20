import { compareValues, holdsAll, type Range, rangeOf, type Table, type Value } from "../kernel/Table.ts"
import { SortedList } from "./SortedList.ts"

/** Orders numbers by their value, and texts by their code units. */
export const compareKeys = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The value of a group: that of its column, or a text of those of several. */
type GroupName = Value

/** The keys of the rows of an index, in its order. */
export class MemoryIndex<Row, Key extends number | string> {
  private readonly table: Table<Row, Key>
  private readonly contains: (row: Row) => boolean
  private readonly equal: ReadonlyArray<(row: Row) => Value>
  private readonly order: ReadonlyArray<(row: Row) => Value>
  private readonly compare: (a: Key, b: Key) => number
  private readonly groups = new Map<GroupName, SortedList<Key>>()

  /** `rowOf` returns the row of a key that was added and not removed since. */
  constructor(table: Table<Row, Key>, name: string, rowOf: (key: Key) => Row | undefined) {
    const { equal = [] } = table.indexes[name] ?? {}
    const { order, reading, where } = rangeOf(table, { index: name })
    this.table = table
    this.contains = holdsAll({ ...table.columns, ...table.computed }, where)
    this.equal = equal.map(reading)
    this.order = order.map(reading)
    this.compare = order.join() === table.key.join() ? compareKeys : this.comparing(rowOf)
  }

  /** The keys of a range, in the order of the index or in the reversed one. */
  *from(range: Range, rowOf: (key: Key) => Row | undefined, isReversed: boolean): Generator<Key> {
    const names = this.table.indexes[range.index ?? ""]?.equal ?? []
    const group = this.groups.get(nameOf(names.map((name) => range.equal?.[name])))
    if (group === undefined) return
    const holds = (is: (row: Row, range: Range, isReversed: boolean) => boolean) => (key: Key) => {
      const row = rowOf(key)
      return row !== undefined && is.call(this, row, range, isReversed)
    }
    const [isBefore, isPast] = [holds(this.isBefore), holds(this.isPast)]
    const keys = isReversed ? group.back((key) => !isPast(key)) : group.from(isBounded(range) ? isBefore : never)
    const isOut = isReversed ? isBefore : isPast
    for (const key of keys) {
      if (isOut(key)) return
      yield key
    }
  }

  /** How many rows a range without bounds has. */
  sizeOf(range: Range): number | undefined {
    if (isBounded(range)) return undefined
    const names = this.table.indexes[range.index ?? ""]?.equal ?? []
    return this.groups.get(nameOf(names.map((name) => range.equal?.[name])))?.size ?? 0
  }

  /** Moves a key from where a row of it was to where its next row belongs, in two steps: before that row is stored, and after. */
  leave(key: Key, before: Row, after: Row | undefined): boolean {
    if (after !== undefined && this.isAlike(before, after)) return false
    if (this.contains(before)) {
      const name = this.groupOf(before)
      const group = this.groups.get(name)
      group?.remove(key)
      if (group?.last === undefined) this.groups.delete(name)
    }
    return true
  }

  join(key: Key, row: Row): void {
    if (!this.contains(row)) return
    const name = this.groupOf(row)
    let group = this.groups.get(name)
    if (group === undefined) {
      group = new SortedList(this.compare)
      this.groups.set(name, group)
    }
    group.add(key)
  }

  /** Whether it has the keys of these rows where they belong, and no others. */
  agreesWith(rows: Iterable<Row>): boolean {
    let expected = 0
    for (const row of rows) {
      if (!this.contains(row)) continue
      expected++
      if (this.groups.get(this.groupOf(row))?.has(this.table.keyOf(row)) !== true) return false
    }
    let size = 0
    for (const group of this.groups.values()) size += group.size
    return size === expected
  }

  private isAlike(one: Row, other: Row): boolean {
    return (
      this.contains(one) === this.contains(other) &&
      this.equal.every((read) => read(one) === read(other)) &&
      this.order.every((read) => read(one) === read(other))
    )
  }

  private groupOf(row: Row): GroupName {
    const [first] = this.equal
    if (this.equal.length === 1 && first !== undefined) return first(row)
    return nameOf(this.equal.map((read) => read(row)))
  }

  /** Whether a row comes before a range begins. */
  private isBefore(row: Row, { after = [], before, from, to }: Range, isReversed: boolean): boolean {
    if (after.length > 0 && !isReversed) return this.compareTo(row, after) <= 0
    const first = this.order[0]?.(row) ?? undefined
    const isAbsent = first === undefined && (to !== undefined || before !== undefined)
    return isAbsent || (from !== undefined && compareValues(first, from) < 0)
  }

  /** Whether a row comes after a range ends. */
  private isPast(row: Row, { after = [], before, to }: Range, isReversed: boolean): boolean {
    if (after.length > 0 && isReversed) return this.compareTo(row, after) >= 0
    const first = this.order[0]
    return (
      (to !== undefined && compareValues(first?.(row), to) > 0) ||
      (before !== undefined && compareValues(first?.(row), before) >= 0)
    )
  }

  private compareTo(row: Row, values: ReadonlyArray<Value>): number {
    for (const [place, value] of values.entries()) {
      const compared = compareValues(this.order[place]?.(row), value)
      if (compared !== 0) return compared
    }
    return 0
  }

  /** Orders keys by the values of their rows, then by the keys. */
  private comparing(rowOf: (key: Key) => Row | undefined) {
    return (a: Key, b: Key): number => {
      const [one, other] = [rowOf(a), rowOf(b)]
      if (one !== undefined && other !== undefined) {
        for (const read of this.order) {
          const compared = compareValues(read(one), read(other))
          if (compared !== 0) return compared
        }
      }
      return compareKeys(a, b)
    }
  }
}

const never = (): boolean => false

const isBounded = ({ after, before, from, to }: Range): boolean =>
  [after, before, from, to].some((bound) => bound !== undefined)

const nameOf = (values: ReadonlyArray<Value>): GroupName => (values.length === 1 ? values[0] : values.join("\0"))
