import type { OnSchemaStep } from "@petstore/core/ports"
import { missingRecord } from "../../sql/MigrationState.ts"
import { type Connection, defaultPrefix } from "../connection/Connection.ts"
import { type Migration, migrations } from "./migrations/index.ts"

/** "PETS", which identifies a file of this package. Files with other tables, or with another prefix, keep their own id. */
const applicationId = 0x50455453

const record = "INSERT INTO petstore_migrations (id, name, checksum, applied_at)"
const now = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
const table = `CREATE TABLE IF NOT EXISTS petstore_migrations (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at TEXT NOT NULL
) STRICT`

const has = (connection: Connection, condition: string): boolean =>
  connection.database.prepare(connection.named(`SELECT 1 FROM sqlite_schema WHERE ${condition} LIMIT 1`)).get() !==
  undefined

/**
 * The migrations that the file lacks. Throws if it has one that is unknown to this release, or another one with the same
 * number, or records one but not one before it.
 */
export const pending = (connection: Connection, known: ReadonlyArray<Migration>): ReadonlyArray<Migration> => {
  if (!has(connection, "name = 'petstore_migrations'")) return known
  const select = connection.named("SELECT id, name, checksum FROM petstore_migrations ORDER BY id")
  const seen = connection.database.prepare(select).all()
  for (const { id, name, checksum } of seen) {
    const ours = known.find((migration) => migration.id === id)
    if (ours === undefined) {
      throw new Error(
        `migration ${id} (${name}) was applied by a newer release; this one knows up to ${known.length}. Update @petstore/adapters.`
      )
    }
    if (ours.checksum !== checksum) {
      throw new Error(
        `migration ${id} (${name}) was applied in another form. Open the file with the release that made it.`
      )
    }
  }
  const missing = missingRecord(
    seen.map(({ id }) => Number(id)),
    known
  )
  if (missing !== undefined) throw new Error(missing)
  return known.slice(seen.length)
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The statements of migrations, without a transaction around them. */
const migrationScript = (connection: Connection, steps: ReadonlyArray<Migration>): string => {
  const isDefault = connection.prefix === defaultPrefix
  const isEmpty = !has(connection, "TRUE")
  const isOurs = isEmpty || connection.database.prepare("PRAGMA application_id").get()?.application_id === applicationId
  return [
    ...(isDefault && isEmpty ? [`PRAGMA application_id = ${applicationId};`] : []),
    `${connection.named(table)};`,
    ...steps.flatMap(({ checksum, id, name, sql }) => [
      `${connection.named(sql).trim().replace(/;$/, "")};`,
      `${connection.named(record)}\n  VALUES (${id}, ${literal(name)}, ${literal(checksum)}, ${now});`
    ]),
    ...(isDefault && isOurs ? [`PRAGMA user_version = ${steps.at(-1)?.id};`] : [])
  ].join("\n")
}

/** The SQL that {@link migrate} would run, for another program to run; undefined if the schema is up to date. */
export const plannedMigration = (connection: Connection, known = migrations): string | undefined => {
  const steps = pending(connection, known)
  if (steps.length === 0) return undefined
  return ["BEGIN IMMEDIATE;", migrationScript(connection, steps), "COMMIT;"].join("\n")
}

/**
 * Brings the schema up to date, in one transaction. One process does it; the others get SQLITE_BUSY, and find it done when
 * they retry.
 */
export const migrate = (connection: Connection, known = migrations, onStep: OnSchemaStep = () => {}): void => {
  if (pending(connection, known).length === 0) return
  connection.run("BEGIN IMMEDIATE")
  try {
    const steps = pending(connection, known)
    for (const [done, step] of steps.entries()) {
      if (steps.length < known.length) onStep(`${done} of ${steps.length} migrations applied`, done / steps.length)
      connection.database.exec(migrationScript(connection, [step]))
    }
    connection.run("COMMIT")
  } catch (cause) {
    connection.rollback()
    throw cause
  }
}

/** Returns a function that says why this release cannot write to the file: another process may migrate it at any time. */
export const schemaProblem = (connection: Connection): (() => Error | undefined) => {
  const version = connection.database.prepare("PRAGMA schema_version")
  let [known, problem]: [unknown, Error | undefined] = [undefined, undefined]
  return () => {
    const current = version.get()?.schema_version
    if (current === known) return problem
    try {
      pending(connection, migrations)
      problem = undefined
    } catch (cause) {
      problem = cause as Error
    }
    known = current
    return problem
  }
}

/** Throws if the schema is not up to date. */
export const requireMigrated = (connection: Connection, known = migrations): void => {
  const steps = pending(connection, known)
  if (steps.length > 0) {
    throw new Error(
      `it lacks ${steps.length} of ${known.length} migrations. Run "petstore migrate", or open it with migrate: true.`
    )
  }
}
