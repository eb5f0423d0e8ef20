import type { Value } from "../../sql/Value.ts"

/** How many rows the statements that add many rows have: few statements, for any number of rows. */
export const rowCounts = [128, 64, 32, 16, 8, 4, 2, 1]

/** From this number of rows on, those that are added together come from one command, and go to the same pages. */
export const manyRows = 256

/** The values of some of these rows in one list. */
export const valuesOfRows = (rows: ReadonlyArray<ReadonlyArray<Value>>, start: number, count: number): Array<Value> => {
  const values: Array<Value> = []
  // In half of the time of `flat`.
  for (const row of rows.slice(start, start + count)) for (const value of row) values.push(value)
  return values
}

/** Divides a number of rows among statements, of which the largest come first. */
export const partsOf = <Part extends { readonly count: number }>(rows: number, statements: ReadonlyArray<Part>) => {
  const parts: Array<Part & { readonly start: number }> = []
  let start = 0
  for (const part of statements) {
    for (; rows - start >= part.count; start += part.count) parts.push({ ...part, start })
  }
  return parts
}
