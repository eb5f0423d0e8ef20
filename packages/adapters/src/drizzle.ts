/** Bridge for calls inside a Drizzle transaction. */

import type { SqlTransaction, SqlValue } from "./sql/SqlTransaction.ts"

export type { SqlTransaction, SqlValue } from "./sql/SqlTransaction.ts"

/** The part of the `sql` tag of Drizzle that the bridge uses. */
export interface DrizzleSql<Query> {
  (strings: TemplateStringsArray, ...values: Array<unknown>): Query
  param(value: unknown): unknown
}

/** The part of a Drizzle transaction on SQLite that the bridge uses. Its driver may be synchronous or not. */
export interface DrizzleSqliteTransaction<Query> {
  all(query: Query): unknown
  run(query: Query): unknown
}

/** The part of a Drizzle transaction on PostgreSQL that the bridge uses. */
export interface DrizzlePgTransaction<Query> {
  execute(query: Query): PromiseLike<unknown>
}

interface Template {
  readonly strings: TemplateStringsArray
  /** The index of the value after each of the strings. */
  readonly places: ReadonlyArray<number>
}

// A store has few statements, so all are cached.
const templates = new Map<string, Template>()

const parse = (statement: string): Template => {
  const parts = statement.split(/\?|\$\d+/)
  const places = [...statement.matchAll(/\?|\$(\d+)/g)].map(([, number], index) =>
    number === undefined ? index : Number(number) - 1
  )
  return { strings: Object.assign([...parts], { raw: parts }), places }
}

const templateOf = (statement: string): Template => {
  let template = templates.get(statement)
  if (template === undefined) {
    template = parse(statement)
    templates.set(statement, template)
  }
  return template
}

// Not imported, so that this module imports nothing at run time.
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** Drivers return a list, or an object with one. */
const listIn = (result: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(result)) return result
  if (typeof result === "object" && result !== null && "rows" in result && Array.isArray(result.rows))
    return result.rows
  throw new TypeError("The driver of Drizzle returned no rows that the petstore can read")
}

const usage = "drizzle needs the transaction of Drizzle, as in db.transaction((tx) => ...)"

/**
 * Makes petstore calls part of a Drizzle transaction: `petstore.orders.place(order, { transaction: drizzle(tx, sql) })`.
 * `sql` is the tag of `drizzle-orm`. Throws a TypeError if `transaction` is not a transaction of Drizzle.
 */
export const drizzle = <Query>(
  transaction: DrizzleSqliteTransaction<Query> | DrizzlePgTransaction<Query>,
  sql: DrizzleSql<Query>
): SqlTransaction => {
  if (typeof transaction !== "object" || transaction === null) throw new TypeError(usage)
  const isSqlite = "all" in transaction && "run" in transaction
  if (!isSqlite && !("execute" in transaction)) throw new TypeError(usage)
  if (typeof sql?.param !== "function") {
    throw new TypeError('drizzle needs the tag sql as its second argument: import { sql } from "drizzle-orm"')
  }
  const queryOf = (statement: string, values: ReadonlyArray<SqlValue>): Query => {
    const { places, strings } = templateOf(statement)
    return sql(strings, ...places.map((place) => sql.param(values[place])))
  }
  return {
    identity: transaction,
    rows: (statement, values) => {
      const query = queryOf(statement, values)
      const result = isSqlite ? transaction.all(query) : transaction.execute(query)
      return isThenable(result) ? result.then(listIn) : listIn(result)
    },
    run: (statement, values) => {
      const query = queryOf(statement, values)
      return isSqlite ? transaction.run(query) : transaction.execute(query)
    }
  }
}
