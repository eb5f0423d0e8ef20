import type { Value } from "./Value.ts"

/** The conditions of one query, joined by AND. */
export class Filter {
  text: string
  readonly values: Array<Value>

  constructor(condition: string, ...values: ReadonlyArray<Value>) {
    this.text = condition
    this.values = [...values]
  }

  and(condition: string, ...values: ReadonlyArray<Value>): this {
    this.text += ` AND ${condition}`
    this.values.push(...values)
    return this
  }
}

/** A list of the rows of one index that lie between two positions, in its order. */
export interface IndexRange {
  /** The name of the index. Absent: the index of the primary key. */
  readonly index?: string
  /** The condition of the index: which rows it contains. */
  readonly contains: string
  /** The first columns of the index, and the value that each of them is equal to. */
  readonly equal: ReadonlyArray<readonly [column: string, value: Value]>
  /** Other columns, and the value that the row has in each of them. No index is chosen by them. */
  readonly also: ReadonlyArray<readonly [column: string, value: Value]>
  /** The index of words, and the words that its rows have, which blanks separate. */
  readonly words?: { readonly index: string; readonly value: Value }
  /** The remaining columns, which are the order of the list; none if they do not matter. */
  readonly order: ReadonlyArray<string>
  /** The list begins behind the rows with these values of the first columns of the order, in its direction; none: with the first row. */
  readonly after: ReadonlyArray<Value>
  /** The list begins with this value of the first column of the order. */
  readonly from?: Value | undefined
  /** The list ends with this value of the first column of the order. */
  readonly to?: Value | undefined
  /** The list ends before this value of the first column of the order. */
  readonly before?: Value | undefined
}

/** A statement with its values. */
export interface BoundStatement {
  readonly text: string
  readonly values: ReadonlyArray<Value>
}

/**
 * The first rows of several ranges of the same order, merged. Reads no more of each than the list contains, whatever the
 * database knows of its data: a scan of the table, or of all rows of a range to sort them, is none of its choices. The limit is the last
 * value. Its text is kept for ranges of the same shape and limits up to the same power of two, unless it contains values.
 */
export type MergeRanges = (
  select: string,
  ranges: ReadonlyArray<IndexRange>,
  limit: number,
  isReversed?: boolean
) => BoundStatement

/** The order that ranges have in common. */
export const orderBy = ([first]: ReadonlyArray<IndexRange>, isReversed = false): string =>
  first === undefined || first.order.length === 0
    ? ""
    : ` ORDER BY ${first.order.map((column) => `${column}${isReversed ? " DESC" : ""}`).join(", ")}`

/** The values of other columns. A database looks for an index for a comparison, but not for whether it is true. */
export const withOthers = (filter: Filter, { also }: IndexRange): Filter => {
  for (const [column, value] of also) filter.and(`(${column} = ?) IS TRUE`, value)
  return filter
}

/**
 * The rows that an index contains; of those with some words, what their index finds. Words consist of letters and digits, so nothing of
 * them is syntax of a search.
 */
export const contained = (select: string, { contains, index, words }: IndexRange): Filter => {
  if (words === undefined)
    return new Filter(`${select}${index === undefined ? "" : ` INDEXED BY ${index}`} WHERE ${contains}`)
  const from = select.replace(" FROM ", ` FROM ${words.index} CROSS JOIN `)
  const matches = `${words.index} MATCH (replace(?, ' ', '* ') || '*')`
  return new Filter(`${from} WHERE ${words.index}.rowid = id AND ${matches} AND ${contains}`, words.value)
}

/** All rows of an index, wherever the list begins. */
export const wholeRange = (select: string, range: IndexRange): Filter => {
  const { equal } = range
  const filter = contained(select, range)
  for (const [column, value] of equal) filter.and(`${column} = ?`, value)
  return withOthers(filter, range)
}

/** Where the list ends, and where it begins if that is a value. Behind a position, a second bound could mislead a database. */
export const bounded = (
  filter: Filter,
  { after, before, from, order: [first], to }: IndexRange,
  isReversed: boolean
) => {
  const isBehind = after.length > 0
  if (from !== undefined && (isReversed || !isBehind)) filter.and(`${first} >= ?`, from)
  if (isReversed && isBehind) return filter
  if (to !== undefined) filter.and(`${first} <= ?`, to)
  if (before !== undefined) filter.and(`${first} < ?`, before)
  return filter
}

/** What is behind a position. */
export const behind = (isReversed: boolean): string => (isReversed ? "<" : ">")

/** The rows of a range in one condition. */
export const rangeFilter = (select: string, range: IndexRange, isReversed = false): Filter => {
  const { after, order } = range
  const filter = wholeRange(select, range)
  const columns = order.slice(0, after.length)
  const operator = behind(isReversed)
  if (after.length === 1) filter.and(`${columns[0]} ${operator} ?`, ...after)
  else if (after.length > 1)
    filter.and(`(${columns.join(", ")}) ${operator} (${columns.map(() => "?").join(", ")})`, ...after)
  return bounded(filter, range, isReversed)
}
