import type { ColumnType } from "@petstore/core/kernel"

/** A table to add rows to: its columns in the order of the values of a row. */
export interface RowTarget {
  readonly table: string
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: ColumnType }>
  /** Whether the database gives each row an `id`, which is none of the columns. */
  readonly generatesIds?: boolean
  /** What follows the values, for rows that exist. */
  readonly end?: string
}

/** The statement that adds this number of rows. */
export const insertionOf = ({ columns, end = "", table }: RowTarget, rows = 1): string => {
  const row = `(${columns.map(() => "?").join(", ")})`
  return `INSERT INTO ${table} (${columns.map(({ name }) => name).join(", ")}) VALUES ${Array(rows).fill(row).join(", ")}${end}`
}
