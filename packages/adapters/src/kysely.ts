/** Calls inside a transaction that the host has open with Kysely. */

import type { SqlTransaction } from "./sql/SqlTransaction.ts"

export type { SqlTransaction, SqlValue } from "./sql/SqlTransaction.ts"

/** A statement as Kysely takes it when it is compiled already. */
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

/** What the bridge needs of a `Transaction` of Kysely. */
export interface KyselyTransaction {
  readonly isTransaction: boolean
  withoutPlugins(): {
    executeQuery(query: CompiledStatement): PromiseLike<{ readonly rows: ReadonlyArray<unknown> }>
  }
}

/**
 * A transaction of Kysely, for calls to the petstore that are to be a part of it, as in
 * `petstore.orders.place(order, { transaction: kysely(trx) })`. Kysely's plugins see nothing of them.
 */
export const kysely = (transaction: KyselyTransaction): SqlTransaction => {
  if (transaction?.isTransaction !== true) {
    throw new TypeError(
      "kysely takes the transaction that Kysely gives, as in db.transaction().execute((trx) => ...), not the database"
    )
  }
  const plain = transaction.withoutPlugins()
  const rows: SqlTransaction["rows"] = async (sql, parameters) => {
    const query = { kind: "RawNode", sqlFragments: [sql], parameters: [] } as const
    return (await plain.executeQuery({ sql, parameters, query, queryId: { queryId: "petstore" } })).rows
  }
  return { identity: transaction, rows, run: rows }
}
