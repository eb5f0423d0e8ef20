import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import { sql } from "drizzle-orm"
import { BetterSQLiteSession } from "drizzle-orm/better-sqlite3/session"
import { BaseSQLiteDatabase, SQLiteSyncDialect } from "drizzle-orm/sqlite-core"
import { drizzle as drizzleProxy } from "drizzle-orm/sqlite-proxy"
import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  type KyselyPlugin,
  type SqliteDatabase,
  SqliteDialect
} from "kysely"
import { acceptCalls } from "../../src/sqlite/host/HostCall.ts"

export interface Tables {
  readonly invoices: { readonly order_id: number }
}

// Libraries bind the values that SQLite accepts, but their types do not say so.
const bound = (values: ReadonlyArray<unknown>) => values as ReadonlyArray<SQLInputValue>

/** Waits before a statement reaches the database. */
type Pause = () => Promise<void>

const atOnce: Pause = () => Promise.resolve()

/** The driver of a dialect, whose statements take time. */
const slowly = (driver: Driver, pause: Pause): Driver => {
  const slow = (connection: DatabaseConnection): DatabaseConnection => ({
    executeQuery: async (query, options) => {
      await pause()
      return connection.executeQuery(query, options)
    },
    streamQuery: (query, size, options) => connection.streamQuery(query, size, options)
  })
  return {
    init: () => driver.init(),
    acquireConnection: async () => slow(await driver.acquireConnection()),
    beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
    commitTransaction: (connection) => driver.commitTransaction(connection),
    rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
    releaseConnection: (connection) => driver.releaseConnection(connection),
    destroy: () => driver.destroy()
  }
}

/** Kysely over `node:sqlite`. */
export const openKysely = (
  database: DatabaseSync,
  plugins: Array<KyselyPlugin> = [],
  pause?: Pause
): Kysely<Tables> => {
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
  const dialect = new SqliteDialect({ database: adapted })
  const driver = pause === undefined ? undefined : slowly(dialect.createDriver(), pause)
  return new Kysely({
    dialect:
      driver === undefined
        ? dialect
        : {
            createDriver: () => driver,
            createQueryCompiler: () => dialect.createQueryCompiler(),
            createAdapter: () => dialect.createAdapter(),
            createIntrospector: (db) => dialect.createIntrospector(db)
          },
    plugins
  })
}

/** Drizzle over `node:sqlite`, asynchronous, with rows without names. */
export const openDrizzle = (database: DatabaseSync, pause = atOnce) => {
  acceptCalls(database)
  return drizzleProxy(async (text, values, method) => {
    await pause()
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

export { sql }
