import { durationOption, type OptionTable, optionOf, optionsCheck } from "@petstore/core/domain"
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { Connection, defaultPrefix, isPrefix } from "./connection/Connection.ts"
import { identify, identityOf } from "./connection/connectionIdentity.ts"
import { type HostDatabase, isHostDatabase } from "./host/HostDatabase.ts"

interface CommonOptions {
  /** Whether to bring the schema up to date on opening. Default: true. With false, opening a file with an older schema fails. */
  readonly migrate?: boolean
  /** Maximum wait of a transaction while other connections write to the file. Default: 5 seconds. A number is milliseconds. */
  readonly lockTimeout?: Duration.Input
  /**
   * Prefix of the table names, and of those of indexes and triggers. Default: `petstore_`. Up to 30 lower-case letters, digits and
   * underscores, a letter first. Stores with different prefixes in one file are separate.
   */
  readonly tablePrefix?: string
}

interface FileOptions extends CommonOptions {
  /** Path of the file, which is created if it does not exist. Its folder must exist and be on a local disk. */
  readonly file: string
  readonly database?: never
}

interface HostOptions extends CommonOptions {
  /**
   * A connection of your app, such as a `DatabaseSync` of `node:sqlite`: the store is in its file. The petstore opens its own
   * connections to that file, and uses this one only for calls with it as their `transaction`.
   */
  readonly database: HostDatabase
  readonly file?: never
}

/** How to open a SQLite store: in a file, or in the database of your app. */
export type SqliteOptions = FileOptions | HostOptions

/** How to open a store, once the options are checked. */
export interface StoreOptions extends CommonOptions {
  readonly file: string
  /** The connection of the host application whose file it is. */
  readonly host?: HostDatabase | undefined
}

export const sqliteOptions = {
  file: {
    schema: optionOf('the path of a file, such as "petstore.db"', (value) => typeof value === "string"),
    sentence: "Path of the file"
  },
  database: { schema: Schema.Unknown, sentence: "A connection of your app" },
  migrate: { schema: Schema.Boolean, default: true, sentence: "Whether to bring the schema up to date on opening" },
  lockTimeout: {
    schema: durationOption,
    default: "5 seconds",
    sentence: "Maximum wait of a transaction while other connections write to the file"
  },
  tablePrefix: {
    schema: optionOf(
      "up to 30 lower-case letters, digits and underscores that begin with a letter and not with sqlite_, such as shop_",
      isPrefix
    ),
    default: defaultPrefix,
    sentence: "Prefix of the table names"
  }
} satisfies OptionTable<SqliteOptions>

const check = optionsCheck("sqlite", '{ file: "petstore.db" } or { database }, or the path of a file', sqliteOptions)

/** The file of a connection. Throws a TypeError if it has none. */
const fileOf = (database: HostDatabase): string => {
  if (typeof database !== "object" || database === null || !isHostDatabase(database)) {
    throw new TypeError(
      "The option database must be a DatabaseSync of node:sqlite. For Kysely, Drizzle or another library on node:sqlite, pass the path of its file instead; a library with a SQLite of its own, such as better-sqlite3, cannot share a file with the petstore in one process."
    )
  }
  if (!database.isOpen) throw new TypeError("The option database is a closed connection. Open it first.")
  const row = new Connection(database).prepare(identify).get()
  const file = row === undefined ? "" : identityOf(row).file
  if (file === "") {
    throw new TypeError(
      "The option database is in memory or temporary: the engine cannot open its own connections to it. Use a file, or memory() for a separate petstore."
    )
  }
  return file
}

/** Checks options, which plain JavaScript may pass in any form. Throws a TypeError if they are invalid. */
export const optionsOf = (fileOrOptions: string | SqliteOptions): StoreOptions => {
  const options = typeof fileOrOptions === "string" ? { file: fileOrOptions } : fileOrOptions
  if (typeof options === "object" && options !== null && isHostDatabase(options)) {
    throw new TypeError("sqlite takes a connection as an option: write sqlite({ database })")
  }
  const { database, file, ...common } = check(options)
  if (database !== undefined && file !== undefined) {
    throw new TypeError("sqlite needs either file or database, not both")
  }
  if (database !== undefined) return { ...common, file: fileOf(database), host: database }
  if (file === undefined)
    throw new TypeError("sqlite needs one of the options file and database, and neither has a value")
  return { ...common, file }
}
