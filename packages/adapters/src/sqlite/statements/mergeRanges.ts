import {
  behind,
  bounded,
  type Filter,
  type IndexRange,
  type MergeRanges,
  orderBy,
  wholeRange
} from "../../sql/IndexRange.ts"

/** Rows whose first columns of the order have the same values as a position, and whose next one is beyond it. */
const beyond = (select: string, range: IndexRange, shared: number, isReversed: boolean): Filter => {
  const { after, order } = range
  const filter = wholeRange(select, range)
  for (let index = 0; index < shared; index++) filter.and(`${order[index]} = ?`, after[index])
  return bounded(filter.and(`${order[shared]} ${behind(isReversed)} ?`, after[shared]), range, isReversed)
}

/** SQLite seeks by one column alone, so that a position in two columns is two ranges. */
const parts = (select: string, range: IndexRange, isReversed: boolean): ReadonlyArray<Filter> =>
  range.after.length === 0
    ? [bounded(wholeRange(select, range), range, isReversed)]
    : range.after.map((_, index) => beyond(select, range, index, isReversed)).reverse()

/** Several ranges are sorted by what is selected: by an expression only if that is, too. */
const withExpressions = (select: string, [range]: ReadonlyArray<IndexRange>): string => {
  const expressions = range?.order.filter((column) => column.includes("(")) ?? []
  return expressions.length === 0 ? select : select.replace(" FROM ", `, ${expressions.join(", ")} FROM `)
}

/** The index of words has its rows in the order of their ids: those of a page alone are read. */
const inOrderOfWords = (range: IndexRange): IndexRange =>
  range.words === undefined || range.order.join() !== "id" ? range : { ...range, order: [`${range.words.index}.rowid`] }

/** Merges ranges by UNION ALL. INDEXED BY keeps SQLite from scanning all rows, whatever ANALYZE has found. */
export const mergeRanges: MergeRanges = (select, merged, limit, isReversed = false) => {
  const ranges = merged.length === 1 ? merged.map(inOrderOfWords) : merged
  const selected = ranges.some(({ after }) => after.length > 1) ? withExpressions(select, ranges) : select
  const filters = ranges.flatMap((range) => parts(selected, range, isReversed))
  return {
    text: `${filters.map(({ text }) => text).join(" UNION ALL ")}${orderBy(ranges, isReversed)} LIMIT ?`,
    values: [...filters.flatMap(({ values }) => values), limit]
  }
}
