import { accessSync, constants, statSync } from "node:fs"
import { tmpdir } from "node:os"
import process from "node:process"
import type { StatementSync } from "node:sqlite"
import { StorageFull } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { blankProblems } from "../../sql/blankProblems.ts"
import type { Connection } from "../connection/Connection.ts"
import { isDamage, isFull, isUnwritten, statementError } from "../connection/errors.ts"
import { accountState, apiKeyState } from "../schema/migrations/0001_initial.ts"
import { migrations } from "../schema/migrations/index.ts"
import { expectedParts, type SchemaParts, schemaProblems } from "../schema/schemaProblems.ts"
import { wordProblems } from "../search/wordProblems.ts"

const isUsable = (folder: string | undefined): folder is string => {
  try {
    if (folder === undefined || !statSync(folder).isDirectory()) return false
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The folder in which SQLite creates temporary files. */
const temporaryFolder = (): string => {
  if (process.platform === "win32") return tmpdir()
  const { SQLITE_TMPDIR, TMPDIR } = process.env
  return [SQLITE_TMPDIR, TMPDIR, "/var/tmp", "/usr/tmp", "/tmp"].find(isUsable) ?? "."
}

/** The error of a statement that writes to temporary files only, such as one that sorts. Names their folder if there is no room in it. */
const temporaryFileError = (cause: unknown): StorageError =>
  isFull(cause) || isUnwritten(cause)
    ? new StorageFull(
        {},
        {
          message: `There is no room for temporary files in ${temporaryFolder()}. Free some space there, or start again with SQLITE_TMPDIR set to another folder.`,
          cause
        }
      )
    : statementError(cause)

const same = (...fields: ReadonlyArray<number>): string =>
  fields.map((field) => `before ->> ${field} IS state ->> ${field}`).join(" AND ")

/** Queries for differences between accounts and API keys and their log, with the column `problem`. */
const accessProblems: ReadonlyArray<string> = [
  `WITH
    present AS (
      SELECT 'accounts/' || id AS subject, ${accountState("a")} AS state FROM petstore_accounts AS a
      UNION ALL SELECT 'api-keys/' || id, ${apiKeyState("k")} FROM petstore_api_keys AS k),
    latest AS (SELECT subject, state, max(seq) FROM petstore_access_log GROUP BY subject)
  SELECT coalesce(present.subject, latest.subject) || CASE
      WHEN present.state IS NULL THEN ' is missing'
      WHEN latest.state IS NULL THEN ' is not in the access log'
      ELSE ' differs from the access log' END AS problem
    FROM present FULL JOIN latest USING (subject) WHERE present.state IS NOT latest.state`,
  `SELECT 'the change ' || seq || ' of ' || subject || ' in the access log is impossible' AS problem FROM
    (SELECT seq, subject, state, lag(state) OVER (PARTITION BY subject ORDER BY seq) AS before FROM petstore_access_log)
    WHERE json_array_length(state) <> CASE WHEN subject LIKE 'accounts/%' THEN 3 ELSE 9 END
      OR before IS NOT NULL AND NOT (subject LIKE 'api-keys/%' AND NOT before ->> 5
        AND ${same(0, 1, 2, 3, 4)}
        AND CASE WHEN state ->> 5 THEN ${same(6, 7, 8)} ELSE state ->> 7 IS before ->> 6 END)`,
  `SELECT 'the access log has a gap' AS problem
    FROM (SELECT count(*) AS length, min(seq) AS first, max(seq) AS last FROM petstore_access_log)
    WHERE length > 0 AND (first <> 1 OR last <> length)`
]

type Row = Readonly<Record<string, unknown>>

/** A statement that looks for problems, and what each of its rows means. */
interface Check {
  readonly sql: string
  readonly problemOf: (row: Row) => string | undefined
}

const isProblem = (problem: string | undefined): problem is string => problem !== undefined

/** The problems that a check finds; if the file is too damaged to go on, those found before, and that. */
const runOn = (connection: Connection, { problemOf, sql }: Check): ReadonlyArray<string> => {
  const problems: Array<string | undefined> = []
  let rows: ReturnType<StatementSync["iterate"]> | undefined
  try {
    const statement = connection.database.prepare(sql)
    statement.setReadBigInts(true)
    rows = statement.iterate()
    for (const row of rows) problems.push(problemOf(row))
  } catch (cause) {
    if (!isDamage(cause)) throw cause
    problems.push(cause.message)
  } finally {
    // A statement that failed half-way stays open otherwise, and its connection sees an old state from then on.
    rows?.return?.()
  }
  return problems.filter(isProblem)
}

const selectTables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"

const isTime = (text: unknown): boolean => {
  const millis = Date.parse(String(text))
  return !Number.isNaN(millis) && new Date(millis).toISOString() === text
}

/** Migrations that the file records in another way than they were applied. */
const migrationProblems = (connection: Connection): ReadonlyArray<string> => {
  const select = connection.named("SELECT id, name, checksum, applied_at FROM petstore_migrations")
  const left = new Map(migrations.map((step) => [step.id, step]))
  const wrong = runOn(connection, {
    sql: select,
    problemOf: ({ applied_at, checksum, id, name }) => {
      const step = left.get(Number(id))
      left.delete(Number(id))
      const isApplied = step?.name === name && step?.checksum === checksum && isTime(applied_at)
      return isApplied ? undefined : `the migration ${id} is not recorded as it was applied`
    }
  })
  return [...wrong, ...[...left.keys()].map((id) => `the migration ${id} is not recorded`)]
}

/**
 * Checks every page and constraint. In a file with other tables only those of the store: the others may need functions
 * that only the connection of the host application has.
 */
const integrityChecks = ({ database }: Connection, expected: SchemaParts): ReadonlyArray<Check> => {
  const names = database
    .prepare(selectTables)
    .all()
    .map(({ name }) => String(name))
  const ours = names.filter((name) => expected.has(`table ${name}`))
  const pragmas =
    ours.length === names.length ? ["PRAGMA integrity_check"] : ours.map((name) => `PRAGMA integrity_check(${name})`)
  const problemOf = ({ integrity_check }: Row) => (integrity_check === "ok" ? undefined : String(integrity_check))
  return pragmas.map((sql) => ({ sql, problemOf }))
}

const foreignKeyCheck = (expected: SchemaParts): Check => ({
  sql: "PRAGMA foreign_key_check",
  problemOf: ({ parent, rowid, table }) =>
    expected.has(`table ${table}`)
      ? `row ${rowid ?? "without an id"} of ${table} refers to a row that ${parent} does not have`
      : undefined
})

const duplicateEvents = (connection: Connection): Check => ({
  // Events in a form have their ids without the prefix.
  sql: connection.named(
    "SELECT iif(type LIKE '%.%', id, 'evt_' || id) AS id, count(*) AS times FROM petstore_events GROUP BY 1 HAVING count(*) > 1"
  ),
  problemOf: ({ id, times }) => `${times} events have the id ${id}`
})

const rowChecks = (connection: Connection): ReadonlyArray<Check> =>
  [...accessProblems, ...blankProblems].map((sql) => ({
    sql: connection.named(sql),
    problemOf: ({ problem }) => String(problem)
  }))

/**
 * Finds what is wrong with a file itself, beside the rules of its rows; returns no problems for a sound file, and ignores
 * tables that are not of the store. `connection` must be able to write: SQLite does not check CHECK constraints on others.
 */
export const inspect = (connection: Connection): Effect.Effect<ReadonlyArray<string>, StorageError> => {
  const inspecting = <A>(work: () => A) => Effect.try({ try: work, catch: temporaryFileError })
  const runAll = (checks: ReadonlyArray<Check>) =>
    Effect.map(
      Effect.forEach(checks, (check) =>
        Effect.andThen(
          Effect.yieldNow,
          inspecting(() => runOn(connection, check))
        )
      ),
      (problems) => problems.flat()
    )
  return Effect.gen(function* () {
    const expected = yield* inspecting(() => expectedParts(connection.prefix))
    const checks = yield* inspecting(() => integrityChecks(connection, expected))
    const damage = yield* runAll([...checks, foreignKeyCheck(expected)])
    const schema = yield* inspecting(() => [
      ...schemaProblems(connection, expected).map(({ problem }) => problem),
      ...migrationProblems(connection)
    ])
    // What else is wrong with the rows shows once no table is missing.
    const isWhole = !schema.some((problem) => /^the table .* is missing$/.test(problem))
    const rows = isWhole ? yield* runAll([duplicateEvents(connection), ...rowChecks(connection)]) : []
    const words = isWhole && damage.length === 0 ? yield* inspecting(() => wordProblems(connection)) : []
    return [...damage, ...schema, ...rows, ...words]
  })
}
