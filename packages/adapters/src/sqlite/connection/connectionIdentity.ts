import { realpathSync } from "node:fs"

/** Identifies a connection by one statement, so that other libraries can run it too. */
export const identify = `SELECT (SELECT file FROM pragma_database_list WHERE name = 'main') AS file,
  sqlite_source_id() || ' ' || (SELECT group_concat(compile_options) FROM pragma_compile_options) AS build,
  (SELECT foreign_keys FROM pragma_foreign_keys) AS foreign_keys`

/** The database of a connection, and its build of SQLite. */
export interface Identity {
  /** The real path; "" for a database in memory or a temporary one. */
  readonly file: string
  readonly build: string
  /** Whether references between tables are enforced. */
  readonly foreignKeys: boolean
}

/** The identity in a row of {@link identify}. Throws if the file is gone. */
export const identityOf = ({ build, file, foreign_keys }: Readonly<Record<string, unknown>>): Identity => ({
  file: file === "" || file === null ? "" : realpathSync(String(file)),
  build: String(build),
  foreignKeys: Number(foreign_keys) === 1
})
