/** A value for a placeholder of a statement. */
export type SqlValue = string | number | bigint | Uint8Array | null

/**
 * A transaction that your app has open in another library, as the bridges `kysely` and `drizzle` make it. Statements
 * contain the placeholders of the database (`?` for SQLite, `$1` for PostgreSQL).
 */
export interface SqlTransaction {
  /** The transaction object of the library, which identifies the transaction. */
  readonly identity: object
  /** Returns the rows of a statement: objects by the names of the columns, or lists of values if the library has no names. */
  readonly rows: (
    statement: string,
    values: ReadonlyArray<SqlValue>
  ) => ReadonlyArray<unknown> | PromiseLike<ReadonlyArray<unknown>>
  /** Runs a statement that returns no rows. */
  readonly run: (statement: string, values: ReadonlyArray<SqlValue>) => unknown
}

/** Whether a value has the shape of a {@link SqlTransaction}. */
export const isSqlTransaction = (value: object): value is SqlTransaction =>
  "identity" in value &&
  (typeof value.identity === "object" || typeof value.identity === "function") &&
  "rows" in value &&
  typeof value.rows === "function" &&
  "run" in value &&
  typeof value.run === "function"
