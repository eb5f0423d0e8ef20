import { realpathSync } from "node:fs"

/** What a connection says of itself, as columns of a statement. */
export const identity = `(SELECT file FROM pragma_database_list WHERE name = 'main') AS file,
  sqlite_source_id() || ' ' || (SELECT group_concat(compile_options) FROM pragma_compile_options) AS build,
  (SELECT foreign_keys FROM pragma_foreign_keys) AS foreign_keys`

/** The names of these columns. */
export const identityColumns = ["file", "build", "foreign_keys"] as const

/** What a connection says of itself: one statement, so that libraries of the host can be asked too. */
export const identify = `SELECT ${identity}`

/** Which database a connection is to, and through which build of SQLite. */
export interface Identity {
  /** The real path; "" for a database in memory or a temporary one. */
  readonly file: string
  readonly build: string
  /** Whether references between tables are enforced. */
  readonly foreignKeys: boolean
}

/** The identity in a row of {@link identify}. Throws where the file is gone. */
export const identityOf = ({ build, file, foreign_keys }: Readonly<Record<string, unknown>>): Identity => ({
  file: file === "" || file === null ? "" : realpathSync(String(file)),
  build: String(build),
  foreignKeys: Number(foreign_keys) === 1
})
