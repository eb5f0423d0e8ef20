import { durationOption, type OptionSchemas, optionOf, optionsCheck } from "@petstore/core/domain"
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { Connection } from "./connection/Connection.ts"
import { identify, identityOf } from "./connection/connectionIdentity.ts"
import { isPrefix } from "./connection/tablePrefix.ts"
import { type HostDatabase, isHostDatabase } from "./host/HostDatabase.ts"

interface CommonOptions {
  /** Whether to bring the schema up to date on opening; true if absent. With false, a file that is behind is refused. */
  readonly migrate?: boolean
  /** How long a transaction waits while other connections write to the file; 5 seconds if absent. A number is milliseconds. */
  readonly lockTimeout?: Duration.Input
  /**
   * What the names of all tables, indexes and triggers begin with; `petstore_` if absent. Lower-case letters, digits and
   * underscores, a letter first, at most 30. Stores with different prefixes in one file do not meet.
   */
  readonly tablePrefix?: string
}

interface FileOptions extends CommonOptions {
  /** Path of the file; made where it is absent. Its directory must exist and be on a local disk. */
  readonly file: string
  readonly database?: never
}

interface HostOptions extends CommonOptions {
  /**
   * The host's own connection, such as a `DatabaseSync` of `node:sqlite`: the store lives in its file. The engine opens
   * connections of its own to that file, and uses this one only for calls that are given it as `transaction`.
   */
  readonly database: HostDatabase
  readonly file?: never
}

/** How to open a SQLite store: in a file, or in the database of the host. */
export type SqliteOptions = FileOptions | HostOptions

/** How to open a store, with what was left out filled in. */
export interface StoreOptions extends CommonOptions {
  readonly file: string
  /** The connection of the host that named the file. */
  readonly host?: HostDatabase | undefined
  /** Bytes of a file above which a copy of it is verified; tests choose fewer. */
  readonly copyThreshold?: number | undefined
  /** Bytes of a file above which it is inspected in a worker thread; tests choose fewer. */
  readonly workerThreshold?: number | undefined
}

const usage = 'sqlite takes the path of a file, or options such as { file: "petstore.db" } or { database }'

const check = optionsCheck("sqlite", '{ file: "petstore.db" } or { database }', {
  file: Schema.Unknown,
  database: Schema.Unknown,
  migrate: Schema.Boolean,
  lockTimeout: durationOption,
  tablePrefix: optionOf(
    "up to 30 lower-case letters, digits and underscores that begin with a letter and not with sqlite_, such as shop_",
    isPrefix
  )
} satisfies OptionSchemas<SqliteOptions>)

/** The file of the host's connection. */
const fileOf = (database: HostDatabase): string => {
  if (typeof database !== "object" || database === null || !isHostDatabase(database)) {
    throw new TypeError(
      "The option database takes a DatabaseSync of node:sqlite. For Kysely, Drizzle or another library on node:sqlite give the path of its file instead; a library with a SQLite of its own, such as better-sqlite3, cannot share a file with the petstore in one process."
    )
  }
  if (!database.isOpen) throw new TypeError("The database that sqlite was given is closed. Open it first.")
  const row = new Connection(database).prepare(identify).get()
  const file = row === undefined ? "" : identityOf(row).file
  if (file === "") {
    throw new TypeError(
      "The database that sqlite was given is in memory or temporary: the engine cannot open connections of its own to it. Use a file, or memory() for a petstore beside it."
    )
  }
  return file
}

/** The options that are meant. Throws a TypeError where they are none, as from plain JavaScript they may be. */
export const optionsOf = (fileOrOptions: string | SqliteOptions): StoreOptions => {
  const options = typeof fileOrOptions === "string" ? { file: fileOrOptions } : fileOrOptions
  if (typeof options !== "object" || options === null) throw new TypeError(usage)
  check(options)
  const { database, file, ...common } = options
  if (database !== undefined && file !== undefined) {
    throw new TypeError("sqlite takes file or database, not both: the database of the host is a file already")
  }
  if (database !== undefined) return { ...common, file: fileOf(database), host: database }
  if (typeof file !== "string") throw new TypeError(usage)
  return { ...common, file }
}
