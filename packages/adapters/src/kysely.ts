/** Bridge for calls inside a Kysely transaction. */

import type { SqlTransaction } from "./sql/SqlTransaction.ts"

export type { SqlTransaction, SqlValue } from "./sql/SqlTransaction.ts"

/** A compiled query of Kysely. */
interface CompiledStatement {
  readonly sql: string
  readonly parameters: ReadonlyArray<unknown>
  readonly query: {
    readonly kind: "RawNode"
    readonly sqlFragments: ReadonlyArray<string>
    readonly parameters: ReadonlyArray<never>
  }
  readonly queryId: { readonly queryId: string }
}

/** The part of a Kysely `Transaction` that the bridge uses. */
export interface KyselyTransaction {
  readonly isTransaction: boolean
  withoutPlugins(): {
    executeQuery(query: CompiledStatement): PromiseLike<{ readonly rows: ReadonlyArray<unknown> }>
  }
}

/**
 * Makes petstore calls part of a Kysely transaction: `petstore.orders.place(order, { transaction: kysely(trx) })`. The
 * plugins of Kysely do not run for their statements. Throws a TypeError if `transaction` is not a Kysely transaction.
 */
export const kysely = (transaction: KyselyTransaction): SqlTransaction => {
  if (transaction?.isTransaction !== true) {
    throw new TypeError(
      "kysely needs the transaction of Kysely, as in db.transaction().execute((trx) => ...), not the database"
    )
  }
  const plain = transaction.withoutPlugins()
  const rows: SqlTransaction["rows"] = async (sql, parameters) => {
    const query = { kind: "RawNode", sqlFragments: [sql], parameters: [] } as const
    return (await plain.executeQuery({ sql, parameters, query, queryId: { queryId: "petstore" } })).rows
  }
  return { identity: transaction, rows, run: rows }
}
