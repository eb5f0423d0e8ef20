/** A value that goes with a statement. */
export type SqlValue = string | number | bigint | Uint8Array | null

/**
 * A transaction that the host has open in a library of its own, as bridges make it: all that a storage adapter needs of
 * it. Statements come with the placeholders of the database (`?` for SQLite, `$1` for PostgreSQL).
 */
export interface SqlTransaction {
  /** The transaction object of the library. What was found out about it is kept for as long as it is. */
  readonly identity: object
  /** Answers the rows of a statement: objects by the names of the columns, or lists of values where the library has no names. */
  readonly rows: (
    statement: string,
    values: ReadonlyArray<SqlValue>
  ) => ReadonlyArray<unknown> | PromiseLike<ReadonlyArray<unknown>>
  /** Runs a statement that answers no rows. */
  readonly run: (statement: string, values: ReadonlyArray<SqlValue>) => unknown
}

/** Whether this can be one. */
export const isSqlTransaction = (value: object): value is SqlTransaction =>
  "identity" in value &&
  typeof value.identity === "object" &&
  "rows" in value &&
  typeof value.rows === "function" &&
  "run" in value &&
  typeof value.run === "function"
