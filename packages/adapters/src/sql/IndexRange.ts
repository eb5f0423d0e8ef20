import type { Value } from "./Value.ts"

/** A list of the rows of one index that lie between two positions, in its order. */
export interface IndexRange {
  readonly index: string
  /** The condition of the index: which rows it contains. */
  readonly contains: string
  /** The first columns of the index, and the value that each of them is equal to. */
  readonly equal: ReadonlyArray<readonly [column: string, value: Value]>
  /** The remaining columns, which are the order of the list; none if they do not matter. */
  readonly order: ReadonlyArray<string>
  /** A value for each column of the order: the list begins behind it. Fewer values: it begins with the first row that has them. */
  readonly after: ReadonlyArray<Value>
  /** The list ends before this value of the first column of the order. */
  readonly before?: Value
}

/** A statement with its values. */
export interface BoundStatement {
  readonly text: string
  readonly values: ReadonlyArray<Value>
}

/**
 * The first rows of several ranges of the same order, merged. Reads no more of each than the list contains, whatever the
 * database knows of its data: a scan of the table, or of all rows of a range to sort them, is none of its choices.
 */
export type MergeRanges = (select: string, ranges: ReadonlyArray<IndexRange>, limit: number) => BoundStatement

/** The order that ranges have in common. */
export const orderBy = ([first]: ReadonlyArray<IndexRange>): string =>
  first === undefined || first.order.length === 0 ? "" : ` ORDER BY ${first.order.join(", ")}`
