import type { Value } from "./Value.ts"

/**
 * The rows with some keys, with a number of placeholders that is a power of two, so that lists of all lengths share few statements.
 */
export const oneOf = (columns: ReadonlyArray<string>, keys: ReadonlyArray<ReadonlyArray<Value>>) => {
  const width = 2 ** Math.ceil(Math.log2(Math.max(keys.length, 1)))
  const [column] = columns
  const one = `(${columns.map((name) => `${name} = ?`).join(" AND ")})`
  return {
    condition:
      columns.length === 1
        ? `${column} IN (${Array(width).fill("?").join(", ")})`
        : Array(width).fill(one).join(" OR "),
    values: Array.from({ length: width }, (_, index) => columns.map((_, place) => keys[index]?.[place])).flat()
  }
}
