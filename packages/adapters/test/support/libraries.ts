import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import { drizzle } from "@petstore/adapters/drizzle"
import { sql } from "drizzle-orm"
import { BetterSQLiteSession } from "drizzle-orm/better-sqlite3/session"
import { BaseSQLiteDatabase, SQLiteSyncDialect } from "drizzle-orm/sqlite-core"
import { drizzle as drizzleProxy } from "drizzle-orm/sqlite-proxy"
import { Kysely, type KyselyPlugin, type SqliteDatabase, SqliteDialect } from "kysely"
import { acceptCalls } from "../../src/sqlite/host/HostCall.ts"
import { hostTransaction } from "../../src/sqlite/host/hostTransaction.ts"
import { beginKysely, type HostLibrary, type LibraryTransaction, transactOn, untilSettled } from "./HostLibrary.ts"
import { oneByOne, type Transact } from "./inHostTransactions.ts"

export interface Tables {
  readonly invoices: { readonly order_id: number }
}

// Libraries bind the values that SQLite accepts, but their types do not say so.
const bound = (values: ReadonlyArray<unknown>) => values as ReadonlyArray<SQLInputValue>

/** Kysely over `node:sqlite`. */
export const openKysely = (database: DatabaseSync, plugins: Array<KyselyPlugin> = []): Kysely<Tables> => {
  acceptCalls(database)
  const adapted: SqliteDatabase = {
    close: () => {},
    prepare: (text) => {
      const statement = database.prepare(text)
      return {
        reader: statement.columns().length > 0,
        all: (values) => statement.all(...bound(values)),
        run: (values) => statement.run(...bound(values)),
        iterate: (values) => statement.iterate(...bound(values))
      }
    }
  }
  return new Kysely({ dialect: new SqliteDialect({ database: adapted }), plugins })
}

/** Drizzle over `node:sqlite`, asynchronous, with rows without names. */
export const openDrizzle = (database: DatabaseSync) => {
  acceptCalls(database)
  return drizzleProxy(async (text, values, method) => {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    if (method === "run") statement.run(...values)
    const rows: unknown = method === "run" ? [] : method === "get" ? statement.get(...values) : statement.all(...values)
    return { rows: rows as Array<unknown> }
  })
}

/** Drizzle as over `better-sqlite3`, synchronous; the connection is one of `node:sqlite`. */
export const openSyncDrizzle = (database: DatabaseSync) => {
  acceptCalls(database)
  const client = {
    prepare: (text: string) => database.prepare(text),
    transaction: (body: (tx: unknown) => unknown) => ({
      deferred: (tx: unknown) => {
        database.exec("BEGIN")
        try {
          const result = body(tx)
          database.exec("COMMIT")
          return result
        } catch (error) {
          database.exec("ROLLBACK")
          throw error
        }
      }
    })
  }
  const dialect = new SQLiteSyncDialect()
  // Its own types are those of better-sqlite3, which is not installed.
  const session = new BetterSQLiteSession(client as never, dialect, undefined)
  return new BaseSQLiteDatabase<"sync", unknown>("sync", dialect, session as never, undefined)
}

/** Runs a statement of the host application on its connection. */
const runOn =
  (database: DatabaseSync): LibraryTransaction["run"] =>
  async (text) =>
    database.prepare(text).all()

const begins: Readonly<Record<string, (database: DatabaseSync) => () => Promise<LibraryTransaction>>> = {
  Kysely: (database) => () => beginKysely(openKysely(database)),
  Drizzle: (database) => () =>
    untilSettled<Parameters<Parameters<ReturnType<typeof openDrizzle>["transaction"]>[0]>[0]>(
      (body) => openDrizzle(database).transaction(body),
      (tx) => ({
        transaction: drizzle(tx, sql),
        run: async (text) => {
          await tx.run(sql.raw(text))
          return []
        }
      })
    ),
  "synchronous Drizzle": (database) => async () => {
    const drizzled = openSyncDrizzle(database)
    const run = async (text: string) => {
      drizzled.run(sql.raw(text))
      return []
    }
    await run("BEGIN IMMEDIATE")
    return {
      transaction: drizzle(drizzled, sql),
      run,
      commit: () => run("COMMIT"),
      rollback: async () => database.isTransaction && run("ROLLBACK")
    }
  },
  "node:sqlite": (database) => async () => {
    const run = runOn(database)
    await run("BEGIN IMMEDIATE")
    return {
      transaction: database,
      run,
      commit: () => run("COMMIT"),
      rollback: async () => database.isTransaction && run("ROLLBACK")
    }
  },
  hostTransaction: (database) => () =>
    untilSettled<DatabaseSync>(
      (body) => hostTransaction(database, body),
      (tx) => ({ transaction: tx, run: runOn(tx) })
    )
}

/** The libraries whose transactions on a connection calls can join. */
export const sqliteLibraries = Object.keys(begins)

export const openLibrary = (name: string, database: DatabaseSync): HostLibrary => {
  const begin = begins[name]
  if (begin === undefined) throw new Error(`There is no library ${name}`)
  return { begin: begin(database), close: async () => {} }
}

/** Runs bodies in transactions on a connection, one after another. */
export const transactInTurn = (database: DatabaseSync, library = "node:sqlite"): Transact => {
  const [inTurn, transact] = [oneByOne(), transactOn(openLibrary(library, database))]
  return (body) => inTurn(() => transact(body))
}

export { sql }
