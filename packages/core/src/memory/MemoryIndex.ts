import { compareCodePoints } from "../adapter-toolkit/petQueries.ts"
import { SortedList } from "./SortedList.ts"

/** A value for each filter of a list; undefined selects every row. */
export type Filters = ReadonlyArray<string | number | boolean | undefined>

/** What an index selects and sorts rows by. */
export interface IndexShape<Row> {
  /**
   * Whether a filter has few values, for each filter. Rows are then not listed a second time for lists without that filter: these
   * merge the rows of each value.
   */
  readonly hasFew?: ReadonlyArray<boolean> | undefined
  /** The values that lists select a row by, all of them defined; undefined for a row that is in no list, such as a tombstone. */
  readonly filtersOf?: ((row: Row) => Filters | undefined) | undefined
  /** The text that rows are sorted by, by code points; then by their keys. */
  readonly sortedBy?: ((row: Row) => string) | undefined
}

type Filter = Filters[number]

/**
 * The groups whose filters begin alike, by the next filter: by a value, or by undefined where rows of every value are selected.
 * A filter that has few values has no group for undefined.
 */
type Level<Item> = Map<Filter, Level<Item> | SortedList<Item>>

type Groups<Item> = Level<Item> | SortedList<Item>

/** The groups that a row leaves and joins as it changes: those that select by a filter whose bit is set. */
type Moves = number

const none: Moves = 0
const all: Moves = -1

/** The keys of a table in one order, for each combination of filters. */
export class MemoryIndex<K extends number | string, Row> {
  private readonly filtersOf: (row: Row) => Filters | undefined
  private readonly sortedBy: ((row: Row) => string) | undefined
  private readonly hasFew: ReadonlyArray<boolean>
  private readonly compare: (a: K, b: K) => number
  private groups: Groups<K> | undefined

  /** `rowOf` returns the row of a key that was added and not removed since. */
  constructor(
    { filtersOf = () => noFilters, hasFew = [], sortedBy }: IndexShape<Row>,
    rowOf: (key: K) => Row | undefined
  ) {
    this.hasFew = hasFew
    this.filtersOf = filtersOf
    this.sortedBy = sortedBy
    this.compare = sortedBy === undefined ? compareKeys : comparing(sortedBy, rowOf)
  }

  /** The keys that these filters select, from the first for which `isBefore` is false. */
  from(filters: Filters, isBefore: (key: K) => boolean): Iterable<K> {
    const [only, ...others] = this.find(filters).map((group) => group.from(isBefore))
    return only === undefined ? [] : others.length === 0 ? only : merged([only, ...others], this.compare)
  }

  count(filters: Filters): number {
    return this.find(filters).reduce((count, { size }) => count + size, 0)
  }

  last(filters: Filters): K | undefined {
    return this.find(filters)
      .flatMap(({ last }) => last ?? [])
      .reduce<K | undefined>((last, one) => (last === undefined || this.compare(last, one) < 0 ? one : last), undefined)
  }

  isListed(row: Row): boolean {
    return this.filtersOf(row) !== undefined
  }

  /** Removes a key from the groups that it leaves when its row becomes another one, and returns which ones it has to join then. */
  leave(key: K, before: Row, after: Row | undefined): Moves {
    const { sortedBy } = this
    const left = this.filtersOf(before)
    const joined = after === undefined ? undefined : this.filtersOf(after)
    const keepsPlace = after !== undefined && (sortedBy === undefined || sortedBy(after) === sortedBy(before))
    const moves = keepsPlace ? movesBetween(left, joined) : all
    if (moves !== none && left !== undefined && this.groups !== undefined) {
      if (this.removeFrom(this.groups, key, left, moves)) this.groups = undefined
    }
    return moves
  }

  /** Adds a key to groups of its row. */
  join(key: K, row: Row, moves = all): void {
    const filters = moves === none ? undefined : this.filtersOf(row)
    if (filters !== undefined) this.groups = this.addTo(this.groups, key, filters, moves)
  }

  /** Whether it has the keys of these rows where they belong, and no others. */
  agreesWith(rows: Iterable<Row>, keyOf: (row: Row) => K): boolean {
    let expected = 0
    for (const row of rows) {
      const filters = this.filtersOf(row)
      const groups = filters === undefined ? [] : this.combinations(filters)
      if (!groups.every((group) => this.find(group)[0]?.has(keyOf(row)) === true)) return false
      expected += groups.length
    }
    return sizeOf(this.groups) === expected
  }

  /** The groups that together have the rows that these filters select, each row in one of them. */
  private find(filters: Filters): ReadonlyArray<SortedList<K>> {
    let found = this.groups === undefined ? [] : [this.groups]
    for (const [place, filter] of filters.entries()) {
      found = found.flatMap((level) => {
        if (!(level instanceof Map)) return []
        return filter === undefined && this.hasFew[place] === true ? [...level.values()] : (level.get(filter) ?? [])
      })
    }
    return found.flatMap((group) => (group instanceof Map ? [] : group))
  }

  /** The filters of each group of a row: a filter that does not have few values may select every row. */
  private combinations(filters: Filters, place = 0): ReadonlyArray<Filters> {
    if (place === filters.length) return [[]]
    const own = this.hasFew[place] === true ? [filters[place]] : [filters[place], undefined]
    return this.combinations(filters, place + 1).flatMap((rest) => own.map((filter) => [filter, ...rest]))
  }

  /** Adds a key to the groups that it joins among these, and returns them. `selects`: whether it joins all of them. */
  private addTo(
    groups: Groups<K> | undefined,
    key: K,
    filters: Filters,
    moves: Moves,
    depth = 0,
    selects = moves === all
  ): Groups<K> {
    if (depth === filters.length) {
      const group = groups instanceof SortedList ? groups : new SortedList(this.compare)
      group.add(key)
      return group
    }
    const level: Level<K> = groups instanceof Map ? groups : new Map()
    const isSelecting = selects || has(moves, depth)
    for (let filter = filters[depth], by = isSelecting; ; filter = undefined, by = selects) {
      if (by || moves >> (depth + 1) !== 0) {
        const below = level.get(filter)
        const joined = this.addTo(below, key, filters, moves, depth + 1, by)
        if (below === undefined) level.set(filter, joined)
      }
      if (filter === undefined || this.hasFew[depth] === true) return level
    }
  }

  /** Removes a key from the groups that it leaves among these, and returns whether they are empty then. */
  private removeFrom(
    groups: Groups<K>,
    key: K,
    filters: Filters,
    moves: Moves,
    depth = 0,
    selects = moves === all
  ): boolean {
    if (groups instanceof SortedList) {
      groups.remove(key)
      return groups.last === undefined
    }
    const isSelecting = selects || has(moves, depth)
    for (let filter = filters[depth], by = isSelecting; ; filter = undefined, by = selects) {
      const below = by || moves >> (depth + 1) !== 0 ? groups.get(filter) : undefined
      if (below !== undefined && this.removeFrom(below, key, filters, moves, depth + 1, by)) groups.delete(filter)
      if (filter === undefined || this.hasFew[depth] === true) return groups.size === 0
    }
  }
}

const noFilters: Filters = []

/** Orders numbers by their value, and texts by their code units. */
export const compareKeys = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Orders keys by a text of their rows, then by the keys. */
const comparing = <K extends number | string, Row>(
  sortedBy: (row: Row) => string,
  rowOf: (key: K) => Row | undefined
) => {
  const textOf = (key: K): string => {
    const row = rowOf(key)
    return row === undefined ? "" : sortedBy(row)
  }
  return (a: K, b: K): number => compareCodePoints(textOf(a), textOf(b)) || compareKeys(a, b)
}

const has = (moves: Moves, filter: number): boolean => (moves & (1 << filter)) !== 0

const movesBetween = (before: Filters | undefined, after: Filters | undefined): Moves => {
  if (before === undefined || after === undefined) return before === after ? none : all
  let moves = none
  for (let index = 0; index < before.length; index++) if (before[index] !== after[index]) moves |= 1 << index
  return moves
}

/** The items of sorted lists, sorted. */
const merged = function* <A>(lists: ReadonlyArray<Iterable<A>>, compare: (a: A, b: A) => number): Generator<A> {
  const iterators = lists.map((list) => list[Symbol.iterator]())
  let heads = iterators.map((iterator) => ({ iterator, next: iterator.next() }))
  for (;;) {
    heads = heads.filter(({ next }) => next.done !== true)
    const [first, ...others] = heads
    if (first === undefined) return
    const least = others.reduce((one, other) => (compare(other.next.value, one.next.value) < 0 ? other : one), first)
    yield least.next.value
    least.next = least.iterator.next()
  }
}

const sizeOf = <Item>(groups: Groups<Item> | undefined): number =>
  groups instanceof Map ? [...groups.values()].reduce((size, below) => size + sizeOf(below), 0) : (groups?.size ?? 0)
