import type { Connection } from "./Connection.ts"

/**
 * What SQLite itself finds wrong with its file; empty where nothing is. Throws. It needs a connection that can write:
 * SQLite forgets the CHECK constraints on others.
 */
export const inspect = ({ database }: Connection): ReadonlyArray<string> => {
  const damage = database
    .prepare("PRAGMA integrity_check")
    .all()
    .map((row) => String(row.integrity_check))
    .filter((line) => line !== "ok")
  const broken = database
    .prepare("PRAGMA foreign_key_check")
    .all()
    .map(
      ({ table, rowid, parent }) =>
        `row ${rowid ?? "without an id"} of ${table} refers to a row that ${parent} does not have`
    )
  return [...damage, ...broken]
}
