import type { DatabaseSync } from "node:sqlite"

const oldestSafe = [3, 51, 3]

/** Whether this SQLite has the fix of the bug that could corrupt a WAL database which several connections write to. */
export const isSafeVersion = (version: string): boolean => {
  const parts = version.split(".").map(Number)
  for (const [index, oldest] of oldestSafe.entries()) {
    const part = parts[index] ?? 0
    if (part !== oldest) return part > oldest
  }
  return true
}

/** An error message for a version that lacks the fix; undefined for one that has it. */
export const versionProblem = (version: string): string | undefined =>
  isSafeVersion(version)
    ? undefined
    : `SQLite ${version} can corrupt a database that several connections write to. Use SQLite ${oldestSafe.join(".")} or newer, which Node 22.23 and 24 contain.`

/** The settings that the store relies on, as SQLite reports them. */
const settings: ReadonlyArray<readonly [name: string, value: string | number]> = [
  ["journal_mode", "wal"],
  ["synchronous", 2],
  ["foreign_keys", 1],
  // The store makes its own checkpoints.
  ["wal_autocheckpoint", 0],
  // Bytes that the log keeps when it begins anew: after a long read it may have grown to gigabytes.
  ["journal_size_limit", 33_554_432],
  // Kibibytes, if negative. With the 2 MiB of the default, or 16, calls all over a larger store read most pages again. No mmap_size: an error of
  // the disk, or a shortened file, would end the process by a signal.
  ["cache_size", -65_536],
  // While SQLite waits for a lock, it blocks the event loop.
  ["busy_timeout", 0],
  // These two matter on macOS, where a plain sync does not reach the disk itself.
  ["fullfsync", 1],
  ["checkpoint_fullfsync", 1]
]

const read = (database: DatabaseSync, sql: string): unknown => Object.values(database.prepare(sql).get() ?? {})[0]

/** Applies every setting to a connection. Throws if one cannot be applied, or if SQLite is too old. */
export const configure = (database: DatabaseSync): void => {
  const problem = versionProblem(String(read(database, "SELECT sqlite_version()")))
  if (problem !== undefined) throw new Error(problem)
  const encoding = read(database, "PRAGMA encoding")
  if (encoding !== "UTF-8") {
    throw new Error(`its encoding is ${encoding}, which sorts texts differently. Use a file whose encoding is UTF-8.`)
  }
  for (const [name, wanted] of settings) {
    database.exec(`PRAGMA ${name} = ${wanted}`)
    const actual = read(database, `PRAGMA ${name}`)
    if (actual !== wanted) {
      throw new Error(`${name} is ${actual} and cannot be set to ${wanted}. Put the file on a local disk.`)
    }
  }
}
