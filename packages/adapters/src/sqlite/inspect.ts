import type { SQLOutputValue } from "node:sqlite"
import type { Connection } from "./Connection.ts"
import { isDamage } from "./errors.ts"

type Row = Record<string, SQLOutputValue>

/** What a check finds; where the damage is such that it cannot go on, what it found before, and that. */
const findings = ({ database }: Connection, check: string, toLine: (row: Row) => string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  try {
    for (const row of database.prepare(check).iterate()) lines.push(toLine(row))
  } catch (cause) {
    if (!isDamage(cause)) throw cause
    lines.push(cause.message)
  }
  return lines
}

/**
 * What SQLite itself finds wrong with its file; empty where nothing is. Throws. It needs a connection that can write:
 * SQLite forgets the CHECK constraints on others.
 */
export const inspect = (connection: Connection): ReadonlyArray<string> => {
  const damage = findings(connection, "PRAGMA integrity_check", (row) => String(row.integrity_check))
  const broken = findings(
    connection,
    "PRAGMA foreign_key_check",
    ({ parent, rowid, table }) =>
      `row ${rowid ?? "without an id"} of ${table} refers to a row that ${parent} does not have`
  )
  return [...damage.filter((line) => line !== "ok"), ...broken]
}
