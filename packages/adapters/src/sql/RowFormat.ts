import type { Value } from "./Value.ts"

/** The type of a column in PostgreSQL. */
export type ColumnType = "bigint" | "boolean" | "bytea" | "text"

/** Columns with their types, in an order that does not change. */
export type Columns = Readonly<Record<string, ColumnType>>

/** How records are written to the columns of a table, for statements that write many rows at once. */
export interface RowFormat<A> {
  readonly table: string
  /** The columns that identify a row. */
  readonly key: Columns
  readonly columns: Columns
  /** The values of the key, then those of the columns. */
  readonly values: (record: A) => ReadonlyArray<Value>
}

/** How the rows of a table are read, for statements that lock many rows at once. */
export interface LockedRows<Row, A> {
  /** A SELECT with a condition, to which others can be added. */
  readonly select: string
  readonly decode: (row: Row) => A
}
