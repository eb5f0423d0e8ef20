import {
  type BoundStatement,
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

/**
 * The parts of a page that is sorted by an expression, whose few rows are sorted again. Without an end of its own, SQLite would sort every row
 * that has the value of the position, though the index has them in order.
 */
const endedParts = (select: string, range: IndexRange, limit: number, isReversed: boolean): ReadonlyArray<Filter> =>
  range.after
    .map((_, index) => {
      const filter = beyond(select, range, index, isReversed)
      const order = orderBy([{ ...range, order: range.order.slice(index) }], isReversed)
      filter.text = `SELECT * FROM (${filter.text}${order} LIMIT ${2 ** Math.ceil(Math.log2(limit))})`
      return filter
    })
    .reverse()

const unionOf = (filters: ReadonlyArray<Filter>, order: string, limit: number): BoundStatement => ({
  text: `${filters.map(({ text }) => text).join(" UNION ALL ")}${order} LIMIT ?`,
  values: [...filters.flatMap(({ values }) => values), limit]
})

/** Merges ranges behind a position whose order begins with an expression. */
const mergeByExpression = (
  select: string,
  ranges: readonly [IndexRange, ...ReadonlyArray<IndexRange>],
  limit: number,
  isReversed: boolean
): BoundStatement => {
  const [first] = ranges
  const [expression, ...others] = first.order
  const selected = select.replace(" FROM ", `, ${expression} AS sorted FROM `)
  const filters = ranges.flatMap((range) => endedParts(selected, range, limit, isReversed))
  return unionOf(filters, orderBy([{ ...first, order: ["sorted", ...others] }], isReversed), limit)
}

/** The index of words has its rows in the order of their ids: those of a page alone are read. */
const inOrderOfWords = (range: IndexRange): IndexRange =>
  range.words === undefined || range.order.join() !== "id" ? range : { ...range, order: [`${range.words.index}.rowid`] }

/** Merges ranges by UNION ALL. INDEXED BY keeps SQLite from scanning all rows, whatever ANALYZE has found. */
export const mergeRanges: MergeRanges = (select, merged, limit, isReversed = false) => {
  const ranges = merged.length === 1 ? merged.map(inOrderOfWords) : merged
  const [first, ...others] = ranges
  if (first?.order[0]?.startsWith("(") && first.after.length > 1)
    return mergeByExpression(select, [first, ...others], limit, isReversed)
  const filters = ranges.flatMap((range) => parts(select, range, isReversed))
  return unionOf(filters, orderBy(ranges, isReversed), limit)
}
