import type { DatabaseSync } from "node:sqlite"
import { drizzle } from "@petstore/adapters/drizzle"
import { kysely, type SqlTransaction } from "@petstore/adapters/kysely"
import { openDrizzle, openKysely, openSyncDrizzle, sql } from "./libraries.ts"

/** The arguments of a body in a transaction of a library. */
export interface Given {
  readonly transaction: SqlTransaction
  readonly invoice: (orderId: number) => unknown
}

/** Runs a body in a transaction of the library, which the library ends. */
export type InLibrary = <A>(body: (given: Given) => Promise<A>) => Promise<A>

export const libraries: Readonly<Record<string, (db: DatabaseSync) => InLibrary>> = {
  Kysely: (db) => (body) =>
    openKysely(db)
      .transaction()
      .execute((trx) =>
        body({
          transaction: kysely(trx),
          invoice: (orderId) => trx.insertInto("invoices").values({ order_id: orderId }).execute()
        })
      ),
  Drizzle: (db) => (body) =>
    openDrizzle(db).transaction((tx) =>
      body({
        transaction: drizzle(tx, sql),
        invoice: (orderId) => tx.run(sql`INSERT INTO invoices (order_id) VALUES (${orderId})`)
      })
    ),
  "synchronous Drizzle": (db) => async (body) => {
    const drizzled = openSyncDrizzle(db)
    drizzled.run(sql`BEGIN IMMEDIATE`)
    try {
      const result = await body({
        transaction: drizzle(drizzled, sql),
        invoice: (orderId) => drizzled.run(sql`INSERT INTO invoices (order_id) VALUES (${orderId})`)
      })
      drizzled.run(sql`COMMIT`)
      return result
    } catch (error) {
      if (db.isTransaction) drizzled.run(sql`ROLLBACK`)
      throw error
    }
  }
}
