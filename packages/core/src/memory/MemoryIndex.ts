import { compareCodePoints } from "../adapter-toolkit/petQueries.ts"
import { SortedList } from "./SortedList.ts"

/** The place of a row in a table and its indexes, which stays the same as the row changes. */
export interface Entry<K, Row> {
  readonly key: K
  row: Row
}

/** A value for each filter of a list; undefined selects every row. */
export type Filters = ReadonlyArray<string | number | boolean | undefined>

/** What an index selects and sorts rows by. */
export interface IndexShape<Row> {
  /** The values that lists select a row by, all of them defined; undefined for a row that is in no list, such as a tombstone. */
  readonly filtersOf?: ((row: Row) => Filters | undefined) | undefined
  /** The text that rows are sorted by, by code points; then by their keys. */
  readonly sortedBy?: ((row: Row) => string) | undefined
}

/** The rows of a table in one order, for each combination of filters. */
export class MemoryIndex<K extends number | string, Row> {
  private readonly filtersOf: (row: Row) => Filters | undefined
  private readonly sortedBy: ((row: Row) => string) | undefined
  private readonly groups = new Map<string, SortedList<Entry<K, Row>>>()

  constructor({ filtersOf = () => [], sortedBy }: IndexShape<Row>) {
    this.filtersOf = filtersOf
    this.sortedBy = sortedBy
  }

  /** The entries that these filters select, from the first for which `isBefore` is false. */
  from(filters: Filters, isBefore: (entry: Entry<K, Row>) => boolean): Iterable<Entry<K, Row>> {
    return this.groups.get(filters.map(part).join(""))?.from(isBefore) ?? []
  }

  count(filters: Filters): number {
    return this.groups.get(filters.map(part).join(""))?.size ?? 0
  }

  last(filters: Filters): Entry<K, Row> | undefined {
    return this.groups.get(filters.map(part).join(""))?.last
  }

  isListed(row: Row): boolean {
    return this.filtersOf(row) !== undefined
  }

  /** Removes an entry from the groups that it leaves when its row becomes this one, and returns those that it has to join then. */
  leave(entry: Entry<K, Row>, row: Row | undefined): ReadonlyArray<string> {
    const { sortedBy } = this
    const before = this.filtersOf(entry.row)
    const after = row === undefined ? undefined : this.filtersOf(row)
    const keepsPlace = row !== undefined && (sortedBy === undefined || sortedBy(row) === sortedBy(entry.row))
    if (keepsPlace && areSame(before, after)) return []
    const from = groupsOf(before)
    const to = groupsOf(after)
    for (const name of from) {
      if (keepsPlace && to.includes(name)) continue
      const group = this.groups.get(name)
      group?.remove(entry)
      if (group?.last === undefined) this.groups.delete(name)
    }
    return keepsPlace ? to.filter((name) => !from.includes(name)) : to
  }

  join(entry: Entry<K, Row>, names = groupsOf(this.filtersOf(entry.row))): void {
    for (const name of names) {
      const group = this.groups.get(name) ?? new SortedList(this.compare)
      group.add(entry)
      this.groups.set(name, group)
    }
  }

  /** Whether it has these entries where they belong, and no others. */
  agreesWith(entries: Iterable<Entry<K, Row>>): boolean {
    let expected = 0
    for (const entry of entries) {
      const names = groupsOf(this.filtersOf(entry.row))
      if (!names.every((name) => this.groups.get(name)?.has(entry) === true)) return false
      expected += names.length
    }
    return [...this.groups.values()].reduce((found, { size }) => found + size, 0) === expected
  }

  private readonly compare = (a: Entry<K, Row>, b: Entry<K, Row>): number => {
    const { sortedBy } = this
    const order = sortedBy === undefined ? 0 : compareCodePoints(sortedBy(a.row), sortedBy(b.row))
    return order === 0 ? compareByKey(a, b) : order
  }
}

/** Orders numbers by their value, and texts by their code units. */
export const compareByKey = <K extends number | string>(a: { readonly key: K }, b: { readonly key: K }): number =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : 0

const areSame = (a: Filters | undefined, b: Filters | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.every((value, index) => value === b[index]))

/** The names of the groups of a row: one for each combination of filters, because each filter may select every row. */
const groupsOf = (filters: Filters | undefined): ReadonlyArray<string> => {
  if (filters === undefined) return []
  let names = [""]
  for (const value of filters) {
    // Not by flatMap: every write comes here.
    const longer: Array<string> = []
    for (const name of names) longer.push(name + part(value), name + part(undefined))
    names = longer
  }
  return names
}

const part = (value: Filters[number]): string => (value === undefined ? "* " : `=${value} `)
