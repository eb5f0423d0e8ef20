/** The values of an IN list, with a number of placeholders that is a power of two, so that lists of all lengths share few statements. */
export const oneOf = (column: string, values: ReadonlyArray<number>) => {
  const width = 2 ** Math.ceil(Math.log2(Math.max(values.length, 1)))
  return {
    condition: `${column} IN (${Array(width).fill("?").join(", ")})`,
    values: Array.from({ length: width }, (_, index) => values[index])
  }
}
