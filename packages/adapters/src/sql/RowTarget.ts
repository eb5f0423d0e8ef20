/** The type of a column, for databases that must be told. */
export type ColumnType = "integer" | "text" | "boolean" | "bytes"

/** A table to add rows to: its columns in the order of the values of a row. */
export interface RowTarget {
  readonly table: string
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: ColumnType }>
  /** Whether the database gives each row an `id`, which is none of the columns. */
  readonly generatesIds?: true
}
