import type { DatabaseSync } from "node:sqlite"
import { versionProblem } from "./version.ts"

/** What the promises of the store rest on, as SQLite reports it. */
const settings: ReadonlyArray<readonly [name: string, value: string | number]> = [
  ["journal_mode", "wal"],
  ["synchronous", 2],
  ["foreign_keys", 1],
  // Pages (16 MiB) in the log before they move to the file. Orders touch pages all over it: fewer, larger moves are faster.
  ["wal_autocheckpoint", 4000],
  // SQLite's own way to wait for a lock blocks the event loop.
  ["busy_timeout", 0],
  // These two matter on macOS, where a plain sync does not reach the disk itself.
  ["fullfsync", 1],
  ["checkpoint_fullfsync", 1]
]

const read = (database: DatabaseSync, sql: string): unknown => Object.values(database.prepare(sql).get() ?? {})[0]

/** Puts every setting in force on a connection. Throws where one is not, or where SQLite is too old. */
export const configure = (database: DatabaseSync): void => {
  const problem = versionProblem(String(read(database, "SELECT sqlite_version()")))
  if (problem !== undefined) throw new Error(problem)
  const encoding = read(database, "PRAGMA encoding")
  if (encoding !== "UTF-8") {
    throw new Error(
      `its encoding is ${encoding}, which orders texts in another way. Use a file whose encoding is UTF-8.`
    )
  }
  for (const [name, wanted] of settings) {
    database.exec(`PRAGMA ${name} = ${wanted}`)
    const actual = read(database, `PRAGMA ${name}`)
    if (actual !== wanted) {
      throw new Error(`${name} is ${actual} and cannot be set to ${wanted}. Put the file on a local disk.`)
    }
  }
}
