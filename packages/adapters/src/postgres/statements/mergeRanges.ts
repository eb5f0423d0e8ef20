import { Filter } from "../../sql/Filter.ts"
import { type IndexRange, type MergeRanges, orderBy } from "../../sql/IndexRange.ts"
import type { Value } from "../../sql/Sql.ts"

/** A comparison of columns as one row; of a single column without the brackets of a row. */
const compared = (columns: ReadonlyArray<string>, operator: string): string =>
  columns.length === 1
    ? `${columns[0]} ${operator} ?`
    : `(${columns.join(", ")}) ${operator} (${columns.map(() => "?").join(", ")})`

/**
 * A range is compared and sorted by all columns of its index. An equal column in the order would leave PostgreSQL a
 * choice: an index of the columns behind it, whose rows it would read and drop until enough have that value.
 */
const part = (select: string, { after, before, contains, equal, order }: IndexRange, limit: number): Filter => {
  const fixed = equal.map(([column]) => column)
  const values: ReadonlyArray<Value> = equal.map(([, value]) => value)
  const filter = new Filter(`${select} WHERE ${contains}`)
  const from = [...fixed, ...order.slice(0, after.length)]
  filter.and(compared(from, after.length === 0 || after.length < order.length ? ">=" : ">"), ...values, ...after)
  if (before !== undefined) filter.and(compared([...fixed, ...order.slice(0, 1)], "<"), ...values, before)
  else if (fixed.length > 0) filter.and(compared(fixed, "<="), ...values)
  filter.text = `(${filter.text} ORDER BY ${[...fixed, ...order].join(", ")} LIMIT ${2 ** Math.ceil(Math.log2(limit))})`
  return filter
}

/**
 * Merges the first rows of each range, at most twice as many as the list contains. How many it reads is a part of the text,
 * because a plan that is prepared for any number expects to need a tenth of the range; powers of two make few texts.
 */
export const mergeRanges: MergeRanges = (select, ranges, limit) => {
  const parts = ranges.map((range) => part(select, range, limit))
  const [only = ""] = parts.map(({ text }) => text)
  const merged =
    parts.length === 1 ? `SELECT * FROM ${only} AS range` : parts.map(({ text }) => text).join(" UNION ALL ")
  return {
    text: `${merged}${orderBy(ranges)} LIMIT ?`,
    values: [...parts.flatMap(({ values }) => values), limit]
  }
}
