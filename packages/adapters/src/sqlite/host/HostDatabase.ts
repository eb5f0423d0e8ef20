import type { SqlValue } from "../../sql/SqlTransaction.ts"

type Row = Readonly<Record<string, unknown>>

/** A prepared statement of a {@link HostDatabase}. */
export interface HostStatement {
  get(...values: Array<SqlValue>): Row | undefined
  all(...values: Array<SqlValue>): ReadonlyArray<Row>
  run(...values: Array<SqlValue>): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
  setReadBigInts(enabled: boolean): void
  setReturnArrays(enabled: boolean): void
  columns(): ReadonlyArray<{ readonly name: string }>
}

/** A connection of your app: the part of a `DatabaseSync` of `node:sqlite` that the petstore uses. */
export interface HostDatabase {
  readonly isOpen: boolean
  readonly isTransaction: boolean
  prepare(sql: string): HostStatement
  /** Registers a function of this process. */
  function?(name: string, options: { readonly directOnly: boolean }, body: (value: unknown) => null): void
}

/** Whether a value has the shape of a {@link HostDatabase}. */
export const isHostDatabase = (value: object): value is HostDatabase =>
  "isOpen" in value &&
  typeof value.isOpen === "boolean" &&
  // Not read: it throws on a connection that is closed.
  "isTransaction" in value &&
  "prepare" in value &&
  typeof value.prepare === "function"
