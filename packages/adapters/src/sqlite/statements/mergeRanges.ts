import { Filter } from "../../sql/Filter.ts"
import { type IndexRange, type MergeRanges, orderBy } from "../../sql/IndexRange.ts"
import type { Value } from "../../sql/Sql.ts"

/** All rows of a range, wherever the list begins. */
const wholeRange = (select: string, range: IndexRange): Filter => {
  const filter = new Filter(`${select} INDEXED BY ${range.index} WHERE ${range.contains}`)
  for (const [column, equal] of range.equal) filter.and(`${column} = ?`, equal)
  return filter
}

/** Rows whose first columns of the order have these values, and whose next one is beyond another value. */
const beyond = (select: string, range: IndexRange, shared: number, operator: ">" | ">=", value: Value): Filter => {
  const filter = wholeRange(select, range)
  for (let index = 0; index < shared; index++) filter.and(`${range.order[index]} = ?`, range.after[index])
  filter.and(`${range.order[shared]} ${operator} ?`, value)
  if (shared === 0 && range.before !== undefined) filter.and(`${range.order[0]} < ?`, range.before)
  return filter
}

/** SQLite seeks by one column alone, so that a position in two columns is two ranges. */
const parts = (select: string, range: IndexRange): ReadonlyArray<Filter> => {
  const { after, order } = range
  if (after.length === 0) return [wholeRange(select, range)]
  if (after.length < order.length) return [beyond(select, range, after.length - 1, ">=", after[after.length - 1])]
  return after.map((value, index) => beyond(select, range, index, ">", value)).reverse()
}

/** Merges ranges by UNION ALL. INDEXED BY keeps SQLite from scanning all rows, whatever ANALYZE has found. */
export const mergeRanges: MergeRanges = (select, ranges, limit) => {
  const filters = ranges.flatMap((range) => parts(select, range))
  return {
    text: `${filters.map(({ text }) => text).join(" UNION ALL ")}${orderBy(ranges)} LIMIT ?`,
    values: [...filters.flatMap(({ values }) => values), limit]
  }
}
