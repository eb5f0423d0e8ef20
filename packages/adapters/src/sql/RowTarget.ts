import type { Columns } from "./RowFormat.ts"

/** The type of a column, for databases that must be told. */
export type ColumnType = "integer" | "text" | "boolean" | "bytes"

/** A table to add rows to: its columns in the order of the values of a row. */
export interface RowTarget {
  readonly table: string
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: ColumnType }>
  /** Whether the database gives each row an `id`, which is none of the columns. */
  readonly generatesIds?: true
}

const types = { bigint: "integer", boolean: "boolean", bytea: "bytes", text: "text" } as const

/** Columns of a format as those of a target. */
export const columnsOf = (columns: Columns): RowTarget["columns"] =>
  Object.entries(columns).map(([name, type]) => ({ name, type: types[type] }))

/** The statement that adds so many rows. */
export const insertionOf = ({ columns, table }: RowTarget, rows = 1): string => {
  const row = `(${columns.map(() => "?").join(", ")})`
  return `INSERT INTO ${table} (${columns.map(({ name }) => name).join(", ")}) VALUES ${Array(rows).fill(row).join(", ")}`
}
