/** A value that goes with a statement, or comes in a row. */
export type SqlValue = string | number | bigint | Uint8Array | null

/** A row by the names of its columns; as a list of their values where the library of the host gives no names. */
export type SqlRow = Readonly<Record<string, unknown>> | ReadonlyArray<unknown>

/**
 * A transaction that the host has open in a library of its own, as bridges make it: all that an adapter needs of it.
 * Statements come with the placeholders of the database (`?` for SQLite, `$1` for PostgreSQL).
 */
export interface SqlTransaction {
  /** The transaction object of the library. Calls that are given the same one take turns. */
  readonly identity: object
  /** Whether the library refuses statements once the transaction is over. Where it does not, the adapter asks the database. */
  readonly refusesWhenOver: boolean
  /** Runs a statement that answers rows. */
  readonly rows: (
    statement: string,
    values: ReadonlyArray<SqlValue>
  ) => ReadonlyArray<SqlRow> | PromiseLike<ReadonlyArray<SqlRow>>
  /** Runs a statement that answers no rows. */
  readonly run: (statement: string, values: ReadonlyArray<SqlValue>) => unknown
}
