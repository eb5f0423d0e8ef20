import type { SQLOutputValue } from "node:sqlite"
import type { Connection } from "./Connection.ts"
import { isDamage } from "./errors.ts"
import { expectedParts, schemaProblems } from "./schemaProblems.ts"

type Row = Record<string, SQLOutputValue>

/** What a check finds of ours; where the damage is such that it cannot go on, what it found before, and that. */
const findings = (
  connection: Connection,
  check: string,
  toLine: (row: Row) => string | undefined
): ReadonlyArray<string> => {
  const lines: Array<string | undefined> = []
  try {
    for (const row of connection.database.prepare(connection.named(check)).iterate()) lines.push(toLine(row))
  } catch (cause) {
    if (!isDamage(cause)) throw cause
    lines.push(cause.message)
  }
  return lines.filter((line) => line !== undefined)
}

/**
 * What is wrong with a file itself, beside the rules of its rows; empty where nothing is. References between tables of
 * a host are its own. Throws. It needs a connection that can write:
 * SQLite forgets the CHECK constraints on others.
 */
export const inspect = (connection: Connection): ReadonlyArray<string> => {
  const damage = findings(connection, "PRAGMA integrity_check", (row) => String(row.integrity_check))
  const expected = expectedParts(connection.prefix)
  const broken = findings(connection, "PRAGMA foreign_key_check", ({ parent, rowid, table }) =>
    expected.has(`table ${table}`)
      ? `row ${rowid ?? "without an id"} of ${table} refers to a row that ${parent} does not have`
      : undefined
  )
  const twice = findings(
    connection,
    "SELECT id, count(*) AS times FROM petstore_events GROUP BY id HAVING count(*) > 1",
    ({ id, times }) => `${times} events have the id ${id}`
  )
  return [...damage.filter((line) => line !== "ok"), ...broken, ...schemaProblems(connection, expected), ...twice]
}
