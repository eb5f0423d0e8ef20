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
    for (const row of connection.database.prepare(check).iterate()) lines.push(toLine(row))
  } catch (cause) {
    if (!isDamage(cause)) throw cause
    lines.push(cause.message)
  }
  return lines.filter((line) => line !== undefined)
}

const selectTables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"

/** All of a file of ours; in one of a host our tables alone, since its own may need functions that only its connection has. */
const checks = ({ database }: Connection, expected: ReadonlyMap<string, unknown>): ReadonlyArray<string> => {
  const names = database
    .prepare(selectTables)
    .all()
    .map(({ name }) => String(name))
  const ours = names.filter((name) => expected.has(`table ${name}`))
  return ours.length === names.length
    ? ["PRAGMA integrity_check"]
    : ours.map((name) => `PRAGMA integrity_check(${name})`)
}

/**
 * What is wrong with a file itself, beside the rules of its rows; empty where nothing is. What a host has in the file is
 * its own. Throws. It needs a connection that can write:
 * SQLite forgets the CHECK constraints on others.
 */
export const inspect = (connection: Connection): ReadonlyArray<string> => {
  const expected = expectedParts(connection.prefix)
  const damage = checks(connection, expected).flatMap((check) =>
    findings(connection, check, (row) => String(row.integrity_check))
  )
  const broken = findings(connection, "PRAGMA foreign_key_check", ({ parent, rowid, table }) =>
    expected.has(`table ${table}`)
      ? `row ${rowid ?? "without an id"} of ${table} refers to a row that ${parent} does not have`
      : undefined
  )
  const twice = findings(
    connection,
    connection.named("SELECT id, count(*) AS times FROM petstore_events GROUP BY id HAVING count(*) > 1"),
    ({ id, times }) => `${times} events have the id ${id}`
  )
  return [...damage.filter((line) => line !== "ok"), ...broken, ...schemaProblems(connection, expected), ...twice]
}
