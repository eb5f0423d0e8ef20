/** What a statement does with the rows that it is about. */
export type Use =
  | "read"
  /** No other transaction can change or lock them until this one ends. */
  | "lock"
  /** No other transaction can change them until this one ends. */
  | "lockShared"
  /** The same as `lock`, without those that another transaction has locked. */
  | "lockFree"
  | "write"

/** A row by the names of its columns, as a driver returns it: booleans may be 0 and 1. */
export type StoredRow = Readonly<Record<string, unknown>>

/**
 * A statement in the SQL that SQLite and PostgreSQL share, with `?` as placeholder; what only PostgreSQL takes stands in a comment
 * that begins with `+`, and what only SQLite takes is the name of an index after INDEXED BY.
 */
export interface Statement<A> {
  readonly sql: string
  readonly use: Use
  /** Whether it lists rows, so that a replica may serve it. */
  readonly isList: boolean
  readonly decode: (rows: ReadonlyArray<StoredRow>) => A
}

// The columns have the types of the schema, so a row has the types of its statement.

/** Returns the only or first row. */
export const first = <Of, A>(sql: string, decode: (row: Of) => A, use: Use = "read"): Statement<A | undefined> => ({
  sql,
  use,
  isList: false,
  decode: ([row]) => (row === undefined ? undefined : decode(row as Of))
})

/** Returns all rows. */
export const all = <Of, A>(sql: string, decode: (row: Of) => A, use: Use = "read"): Statement<ReadonlyArray<A>> => ({
  sql,
  use,
  isList: true,
  decode: (rows) => (rows as ReadonlyArray<Of>).map(decode)
})

/** Writes. */
export const run = (sql: string): Statement<void> => ({ sql, use: "write", isList: false, decode: () => undefined })
