import { contained, type Filter, type IndexRange, type MergeRanges, orderBy, withOthers } from "../../sql/IndexRange.ts"
import type { Value } from "../../sql/Value.ts"
import { withQuery } from "./dialect.ts"

/** A comparison of columns as one row; of a single column without the brackets of a row. */
const compared = (columns: ReadonlyArray<string>, operator: string): string =>
  columns.length === 1
    ? `${columns[0]} ${operator} ?`
    : `(${columns.join(", ")}) ${operator} (${columns.map(() => "?").join(", ")})`

/** Where a range begins or ends: a comparison of the first columns of its order with values. */
type Bound = readonly [operator: string, values: ReadonlyArray<Value>]

const lower = ({ after, from }: IndexRange, isReversed: boolean): Bound =>
  after.length > 0 && !isReversed ? [">", after] : [">=", from === undefined ? [] : [from]]

const upper = ({ after, before, to }: IndexRange, isReversed: boolean): Bound => {
  if (after.length > 0 && isReversed) return ["<", after]
  return before === undefined ? ["<=", to === undefined ? [] : [to]] : ["<", [before]]
}

/**
 * A range is compared and sorted by all columns of its index. An equal column in the order would leave PostgreSQL a
 * choice: an index of the columns behind it, whose rows it would read and drop until enough have that value.
 */
const part = (select: string, range: IndexRange, limit: number, isReversed: boolean): Filter => {
  const { equal, order, words } = range
  const fixed = equal.map(([column]) => column)
  const fixedValues: ReadonlyArray<Value> = equal.map(([, value]) => value)
  const filter = withOthers(contained(select, range), range)
  for (const [operator, values] of [lower(range, isReversed), upper(range, isReversed)]) {
    const columns = [...fixed, ...order.slice(0, values.length)]
    if (columns.length > 0) filter.and(compared(columns, operator), ...fixedValues, ...values)
  }
  const [after] = range.after
  // A search finds rows in the order of ids, block by block, behind the last one of the page before.
  const isSearch = words !== undefined && order.join() === "id" && after !== undefined
  if (isSearch) {
    filter.text = withQuery(filter.text, isReversed, "?")
    filter.values.unshift(after)
  } else if (words !== undefined) filter.text = withQuery(filter.text)
  const sorted = isSearch ? ["part"] : [...fixed, ...order].map((column) => (isReversed ? `${column} DESC` : column))
  filter.text = `(${filter.text} ORDER BY ${sorted.join(", ")} LIMIT ${2 ** Math.ceil(Math.log2(limit))})`
  return filter
}

/**
 * Merges the first rows of each range, at most twice as many as the list contains. How many it reads is a part of the text,
 * because a plan that is prepared for any number expects to need a tenth of the range; powers of two make few texts.
 */
export const mergeRanges: MergeRanges = (select, ranges, limit, isReversed = false) => {
  const parts = ranges.map((range) => part(select, range, limit, isReversed))
  const [only = ""] = parts.map(({ text }) => text)
  const merged =
    parts.length === 1 ? `SELECT * FROM ${only} AS range` : parts.map(({ text }) => text).join(" UNION ALL ")
  return {
    text: `${merged}${orderBy(ranges, isReversed)} LIMIT ?`,
    values: [...parts.flatMap(({ values }) => values), limit]
  }
}
