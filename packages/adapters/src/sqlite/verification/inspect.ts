import type { SQLOutputValue, StatementSync } from "node:sqlite"
import type { Connection } from "../connection/Connection.ts"
import { isDamage } from "../connection/errors.ts"
import { accessProblems } from "../schema/migrations/0006_access_log.ts"
import { migrations } from "../schema/migrations/index.ts"
import { expectedParts, schemaProblems } from "../schema/schemaProblems.ts"

type Row = Record<string, SQLOutputValue>

/** What a check finds of ours; where the damage is such that it cannot go on, what it found before, and that. */
const findings = (
  connection: Connection,
  check: string,
  toLine: (row: Row) => string | undefined
): ReadonlyArray<string> => {
  const lines: Array<string | undefined> = []
  let rows: ReturnType<StatementSync["iterate"]> | undefined
  try {
    const statement = connection.database.prepare(check)
    statement.setReadBigInts(true)
    rows = statement.iterate()
    for (const row of rows) lines.push(toLine(row))
  } catch (cause) {
    if (!isDamage(cause)) throw cause
    lines.push(cause.message)
  } finally {
    // A statement that failed half-way stays open otherwise, and its connection sees an old moment from then on.
    rows?.return?.()
  }
  return lines.filter((line) => line !== undefined)
}

const selectTables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"

const isTime = (text: unknown): boolean => {
  const millis = Date.parse(String(text))
  return !Number.isNaN(millis) && new Date(millis).toISOString() === text
}

/** Where the steps that the file has taken are noted in another way than they were taken. */
const migrationProblems = (connection: Connection): ReadonlyArray<string> => {
  const select = connection.named("SELECT id, name, checksum, applied_at FROM petstore_migrations")
  const left = new Map(migrations.map((step) => [step.id, step]))
  const wrong = findings(connection, select, ({ applied_at, checksum, id, name }) => {
    const step = left.get(Number(id))
    left.delete(Number(id))
    const isTaken = step?.name === name && step?.checksum === checksum && isTime(applied_at)
    return isTaken ? undefined : `the migration ${id} is not noted as it was applied`
  })
  return [...wrong, ...[...left.keys()].map((id) => `the migration ${id} is not noted`)]
}

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
  const access = accessProblems.flatMap((check) =>
    findings(connection, connection.named(check), ({ problem }) => String(problem))
  )
  return [
    ...damage.filter((line) => line !== "ok"),
    ...broken,
    ...schemaProblems(connection, expected),
    ...migrationProblems(connection),
    ...twice,
    ...access
  ]
}
