// The two SQLite drivers that the peers are written over, as far as they need them.

import { createRequire } from "node:module"
import { DatabaseSync } from "node:sqlite"

/** A prepared statement. Both drivers have these two methods. */
export interface Statement<Row> {
  readonly get: (...values: ReadonlyArray<string | number | null>) => Row | undefined
  readonly all: (...values: ReadonlyArray<string | number | null>) => ReadonlyArray<Row>
  readonly run: (...values: ReadonlyArray<string | number | null>) => {
    readonly lastInsertRowid: number | bigint
  }
}

export interface Database {
  readonly exec: (sql: string) => unknown
  readonly prepare: (sql: string) => unknown
}

export type Driver = "node:sqlite" | "better-sqlite3"

/** Opens the file of a petstore with the settings that make a commit durable, as the petstore has them. */
export const openDatabase = (driver: Driver, file: string): Database => {
  const require = createRequire(import.meta.url)
  const database: Database = driver === "node:sqlite" ? new DatabaseSync(file) : new (require("better-sqlite3"))(file)
  const settings = ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "wal_autocheckpoint = 4000"]
  for (const setting of settings) database.exec(`PRAGMA ${setting}`)
  return database
}

/** The driver takes and returns values of these types. */
export const prepare = <Row>(database: Database, sql: string): Statement<Row> => database.prepare(sql) as Statement<Row>
