// The two SQLite drivers that the peers are written over, as far as they need them.

import { createRequire } from "node:module"
import { DatabaseSync } from "node:sqlite"
import { pagesInLog } from "../../../packages/adapters/src/sqlite/commit/Checkpoints.ts"
import { configure } from "../../../packages/adapters/src/sqlite/connection/configure.ts"

/** A prepared statement. Both drivers have these two methods. */
export interface Statement<Row> {
  readonly get: (...values: ReadonlyArray<string | number | null | Uint8Array>) => Row | undefined
  readonly all: (...values: ReadonlyArray<string | number | null | Uint8Array>) => ReadonlyArray<Row>
  readonly run: (...values: ReadonlyArray<string | number | null | Uint8Array>) => {
    readonly lastInsertRowid: number | bigint
  }
}

export interface Database {
  readonly exec: (sql: string) => unknown
  readonly prepare: (sql: string) => unknown
}

export type Driver = "node:sqlite" | "better-sqlite3"

/** Opens the file of a petstore with the settings of the petstore: commits are as durable, and the cache and the log as large. */
export const openDatabase = (driver: Driver, file: string): Database => {
  const require = createRequire(import.meta.url)
  const database: Database = driver === "node:sqlite" ? new DatabaseSync(file) : new (require("better-sqlite3"))(file)
  // What it uses of a connection, both drivers have.
  configure(database as DatabaseSync)
  database.exec(`PRAGMA wal_autocheckpoint = ${pagesInLog}`)
  return database
}

/** The driver takes and returns values of these types. */
export const prepare = <Row>(database: Database, sql: string): Statement<Row> => database.prepare(sql) as Statement<Row>
