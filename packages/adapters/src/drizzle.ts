/** Calls inside a transaction that the host has open with Drizzle. */

import type { SqlTransaction, SqlValue } from "./sql/SqlTransaction.ts"

export type { SqlTransaction, SqlValue } from "./sql/SqlTransaction.ts"

/** What the bridge needs of the tag `sql` of Drizzle. */
export interface DrizzleSql<Query> {
  (strings: TemplateStringsArray, ...values: Array<unknown>): Query
  param(value: unknown): unknown
}

/** What the bridge needs of a transaction of Drizzle on SQLite, whose driver may answer at once or later. */
export interface DrizzleSqliteTransaction<Query> {
  all(query: Query): unknown
  run(query: Query): unknown
}

/** What the bridge needs of a transaction of Drizzle on PostgreSQL. */
export interface DrizzlePgTransaction<Query> {
  execute(query: Query): PromiseLike<unknown>
}

interface Template {
  readonly strings: TemplateStringsArray
  /** Which value stands behind each of the strings. */
  readonly places: ReadonlyArray<number>
}

// The statements of a store are few and known, so all are kept.
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

// Its own, so that this module imports nothing at run time.
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** Drivers answer a list, or an object with one. */
const listIn = (result: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(result)) return result
  if (typeof result === "object" && result !== null && "rows" in result && Array.isArray(result.rows))
    return result.rows
  throw new TypeError("The driver under Drizzle answered no rows that the petstore can read")
}

const usage = "drizzle takes the transaction that Drizzle gives, as in db.transaction((tx) => ...)"

/**
 * A transaction of Drizzle, for calls to the petstore that are to be a part of it, as in
 * `petstore.orders.place(order, { transaction: drizzle(tx, sql) })`; `sql` is the tag of `drizzle-orm`.
 */
export const drizzle = <Query>(
  transaction: DrizzleSqliteTransaction<Query> | DrizzlePgTransaction<Query>,
  sql: DrizzleSql<Query>
): SqlTransaction => {
  if (typeof transaction !== "object" || transaction === null) throw new TypeError(usage)
  const isSqlite = "all" in transaction && "run" in transaction
  if (!isSqlite && !("execute" in transaction)) throw new TypeError(usage)
  if (typeof sql?.param !== "function") {
    throw new TypeError('drizzle takes the tag sql beside the transaction: import { sql } from "drizzle-orm"')
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
