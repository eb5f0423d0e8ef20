import { isSqlTransaction, type SqlTransaction } from "../../sql/SqlTransaction.ts"

/** A client of the package `pg` with an open transaction: the part that a call uses. */
interface HostClient {
  query(query: {
    readonly text: string
    readonly values: Array<unknown>
  }): PromiseLike<{ readonly rows: ReadonlyArray<unknown> }>
}

/** The `sql` that `sql.begin` of the package `postgres` passes to its function: the part that a call uses. */
interface HostPostgresJs {
  unsafe(text: string, values: Array<never>): PromiseLike<ReadonlyArray<unknown>>
}

const notOne =
  "PostgreSQL cannot join this transaction. Pass a client of pg with an open transaction, the sql of sql.begin of postgres, kysely(trx) of @petstore/adapters/kysely or drizzle(tx, sql) of @petstore/adapters/drizzle."

const isPool =
  "A pool runs each statement on any of its connections. Pass the client of pool.connect() on which the transaction is open."

const isDatabase =
  "The sql of postgres runs each statement on any of its connections. Pass the one that sql.begin passes to its function."

const has = <Name extends string>(value: object, name: Name): value is Record<Name, (...values: never) => unknown> =>
  name in value && typeof Reflect.get(value, name) === "function"

const isClient = (value: object): value is HostClient => has(value, "query")

const isPostgresJs = (value: object): value is HostPostgresJs => has(value, "unsafe")

/** The transaction of a library that a value is, or an error message. */
export const sqlTransactionOf = (value: unknown): SqlTransaction | string => {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return notOne
  if (isSqlTransaction(value)) return value
  if (isPostgresJs(value)) {
    if (has(value, "begin")) return isDatabase
    const rows: SqlTransaction["rows"] = (text, values) => value.unsafe(text, [...values] as Array<never>)
    return { identity: value, rows, run: rows }
  }
  if (!isClient(value)) return notOne
  if ("totalCount" in value) return isPool
  const rows: SqlTransaction["rows"] = async (text, values) => (await value.query({ text, values: [...values] })).rows
  return { identity: value, rows, run: rows }
}
