/** A number of rows, for people. */
export const rowsOf = (count: number): string => (count === 1 ? "1 row" : `${count} rows`)
