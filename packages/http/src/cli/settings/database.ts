import { isListIndex, type ListIndex, listIndexNames } from "@petstore/core/domain"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type PostgresDatabase, parsePostgresUrl } from "../PostgresUrl.ts"
import { type FlagSetting, isHttpUrl, type Setting, wholeNumber } from "../Setting.ts"

/** Where the data is stored. */
export type StorageChoice = { readonly kind: "memory" } | DatabaseFile | PostgresDatabase

/** The path of an SQLite file. */
export interface DatabaseFile {
  readonly kind: "sqlite"
  readonly file: string
}

/** A database, and the place of the tables in it. */
export interface Database {
  readonly storage: DatabaseFile | PostgresDatabase
  /** For SQLite: how the names of the tables begin. */
  readonly tablePrefix: string
  /** For PostgreSQL: the schema of the tables. */
  readonly schema: string
}

const parseFile = (text: string): Option.Option<DatabaseFile> => {
  const file = /^sqlite:(?!\/\/|:memory:)([^\0]+)$/.exec(text)?.[1]
  return file === undefined ? Option.none() : Option.some({ kind: "sqlite", file })
}

const parseDatabase = (text: string): Option.Option<Database["storage"]> =>
  Option.orElse(parseFile(text), () => parsePostgresUrl(text))

const server = "postgres://USER@HOST/DATABASE"

export const storage: FlagSetting<StorageChoice> = {
  flag: "storage",
  env: "PETSTORE_STORAGE",
  default: "sqlite:./petstore.db",
  metavar: "STORAGE",
  description: `Database: sqlite:FILE, ${server}, or memory: for data that is lost when the server stops`,
  expected: `sqlite:FILE, ${server} or memory:`,
  parse: (text) => (text === "memory:" ? Option.some({ kind: "memory" }) : parseDatabase(text))
}

/** For every subcommand but `serve`: data in memory exists only in the process of the server. */
export const database: FlagSetting<Database["storage"]> = {
  ...storage,
  description: `Database: sqlite:FILE or ${server}`,
  expected: `sqlite:FILE or ${server} (only serve takes memory:)`,
  parse: parseDatabase
}

export const tablePrefix: FlagSetting<string> = {
  flag: "table-prefix",
  env: "PETSTORE_TABLE_PREFIX",
  default: "petstore_",
  metavar: "PREFIX",
  description: "Prefix of the table names, on SQLite",
  expected: "up to 30 lower-case letters, digits and underscores, a letter first, not sqlite_",
  parse: (text) => (/^(?!sqlite_)[a-z][a-z0-9_]{0,29}$/.test(text) ? Option.some(text) : Option.none())
}

export const schema: FlagSetting<string> = {
  flag: "schema",
  env: "PETSTORE_SCHEMA",
  default: "petstore",
  metavar: "SCHEMA",
  description: "Schema of the tables, on PostgreSQL",
  expected: "up to 63 lower-case letters, digits and underscores, not a digit first, not pg_",
  parse: (text) => (/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(text) ? Option.some(text) : Option.none())
}

/** The indexes of lists. */
export const indexes: FlagSetting<ReadonlyArray<ListIndex>> = {
  flag: "indexes",
  env: "PETSTORE_INDEXES",
  default: "none",
  metavar: "NAMES",
  description: "Indexes for lists by time, metadata, subject and stock, such as orders.createdAt,pets.metadata.chip",
  expected: `none, or ${listIndexNames}, separated by commas`,
  parse: (text) => {
    const names = text === "none" ? [] : text.split(",").map((name) => name.trim())
    return names.every(isListIndex) ? Option.some(names) : Option.none()
  }
}

/** For `prove`. */
export const proofSchema: FlagSetting<string> = {
  ...schema,
  env: "PETSTORE_PROVE_SCHEMA",
  default: "petstore_prove",
  description: "New schema for the tables"
}

/** For `serve` on PostgreSQL, in seconds. */
export const startupTimeout: FlagSetting<number> = {
  ...wholeNumber(0, 86_400),
  flag: "startup-timeout",
  env: "PETSTORE_STARTUP_TIMEOUT",
  default: "60",
  metavar: "SECONDS",
  description: "Time to wait for PostgreSQL at the start, in seconds; 0 for one attempt"
}

/** The URL of a remote petstore; undefined for the database itself. */
export const remoteUrl: FlagSetting<string | undefined> = {
  flag: "url",
  env: "PETSTORE_URL",
  default: "none",
  metavar: "URL",
  description: "URL of the REST API of a petstore, such as https://pets.example/v1, to read from instead of a database",
  expected: "an http or https URL with the base path and without a user, password or query",
  parse: (text) => {
    if (text === "none") return Option.some(undefined)
    return isHttpUrl(text) && !/[?#]/.test(text) ? Option.some(text) : Option.none()
  }
}

/** Of the caller of a remote petstore. Not a flag, as the admin key. */
export const remoteKey: Setting<Redacted.Redacted<string> | undefined> = {
  env: "PETSTORE_KEY",
  default: "",
  metavar: "KEY",
  description: "API key for --url",
  expected: "an API key",
  secret: true,
  parse: (text) => Option.some(text === "" ? undefined : Redacted.make(text))
}
