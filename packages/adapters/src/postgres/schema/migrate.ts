import { InternalError } from "@petstore/core/domain"
import type { OnSchemaStep } from "@petstore/core/ports"
import { missingRecord } from "../../sql/MigrationState.ts"
import type { PostgresConnection, Result } from "../connection/PostgresConnection.ts"
import { definingSettings } from "../connection/settings.ts"
import { definedIn, inSchema, quoted } from "../statements/dialect.ts"
import { type Migration, migrations } from "./migrations/index.ts"

const oldestServer = 140000

const selectServer =
  "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding"
// Not to_regclass and to_regnamespace: after the wait for another process that migrates, they would still return what was
// there before it.
const hasTable = `SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class AS c
  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = 'petstore_migrations') AS exists`
const selectSchema = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1) AS exists"
const selectApplied = "SELECT id, name, checksum, compatible_with FROM petstore_migrations ORDER BY id"
const selectCurrent =
  "SELECT max(compatible_with) AS needed, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS millis FROM petstore_migrations"
const now = `to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
// An index on a large table takes minutes, for which other starters wait.
export const begin = [
  "BEGIN ISOLATION LEVEL READ COMMITTED",
  ...definingSettings,
  "SET LOCAL lock_timeout = 0",
  "SET LOCAL statement_timeout = 0"
].join("; ")
const table = `CREATE TABLE IF NOT EXISTS petstore_migrations (
  id bigint PRIMARY KEY,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at text NOT NULL,
  compatible_with bigint NOT NULL
)`

const refusal = (message: string): InternalError => new InternalError({}, { message })

/** Throws for a server that is too old, or a database that has not every character. */
export const requireServer = async (connection: PostgresConnection): Promise<void> => {
  const { rows } = await connection.query(selectServer)
  const version = Number(rows[0]?.version)
  if (version < oldestServer) {
    throw refusal(`The server is PostgreSQL ${Math.floor(version / 10000)}; the petstore needs 14 or later.`)
  }
  if (rows[0]?.encoding !== "UTF8") {
    throw refusal(
      `The encoding of the database is ${rows[0]?.encoding}; the petstore needs UTF8, which has every character. Create a database with ENCODING 'UTF8' TEMPLATE template0, and name it in the URL.`
    )
  }
}

export const hasMigrations = async (connection: PostgresConnection, schema: string): Promise<boolean> => {
  const { rows } = await connection.query(hasTable, [schema])
  return rows[0]?.exists === true
}

/** The number of the last migration that a release knows. */
const lastOf = (known: ReadonlyArray<Migration>): number => known.at(-1)?.id ?? 0

/**
 * The migrations that the schema lacks. Throws if it has one that this release cannot work with, or another one with the same
 * number, or records one but not one before it. Migrations of a newer release that this one can work with do not matter.
 */
export const pending = async (
  connection: PostgresConnection,
  schema: string,
  known: ReadonlyArray<Migration>
): Promise<ReadonlyArray<Migration>> => {
  if (!(await hasMigrations(connection, schema))) return known
  const { rows: seen } = await connection.query(inSchema(schema, selectApplied))
  const last = lastOf(known)
  for (const { checksum, compatible_with, id, name } of seen) {
    const step = `Migration ${id} (${name}) of the schema ${schema}`
    const ours = known.find((migration) => migration.id === id)
    if (ours === undefined && Number(compatible_with) > last) {
      throw refusal(
        `${step} was applied by a newer release; this one knows up to ${last}, and cannot work with it. Update @petstore/adapters.`
      )
    }
    if (ours !== undefined && ours.checksum !== checksum) {
      throw refusal(`${step} was applied in another form. Open it with the release that made it.`)
    }
  }
  const missing = missingRecord(
    seen.map(({ id }) => Number(id)),
    known
  )
  if (missing !== undefined) throw refusal(`Schema ${schema}: ${missing}`)
  return known.filter(({ id }) => seen.every((step) => step.id !== id))
}

/** Runs a statement on some connection. */
export type Read = (text: string) => Promise<Result>

/** What may change while a store is open. */
interface Current {
  /** Why this release cannot work with the schema any more, because a newer one has migrated it since; undefined if it can. */
  readonly problem: string | undefined
  /** Milliseconds of the clock of the database. */
  readonly millis: number
}

export const readCurrent = async (read: Read, schema: string): Promise<Current> => {
  const { rows } = await read(inSchema(schema, selectCurrent))
  const needed = Number(rows[0]?.needed)
  const problem =
    needed > lastOf(migrations)
      ? `A newer release has applied migration ${needed} to the schema ${schema}, and this one cannot work with it. Update @petstore/adapters.`
      : undefined
  return { problem, millis: Number(rows[0]?.millis) }
}

/** A role may use a schema that it may not create. */
export const hasSchema = async (connection: PostgresConnection, schema: string): Promise<boolean> => {
  const { rows } = await connection.query(selectSchema, [schema])
  return rows[0]?.exists === true
}

/** A text as SQL writes it. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const lock = (schema: string): string =>
  `SELECT pg_advisory_xact_lock(hashtextextended(${literal(`petstore schema ${schema}`)}, 0));`

/** The statements of migrations, without a transaction around them. */
export const migrationScript = (schema: string, steps: ReadonlyArray<Migration>, exists: boolean): string =>
  [
    ...(exists ? [] : [`CREATE SCHEMA ${quoted(schema)};`]),
    `${inSchema(schema, table)};`,
    ...steps.flatMap(({ checksum, compatibleWith, id, name, sql }) => [
      `${definedIn(schema, sql).trim().replace(/;$/, "")};`,
      `INSERT INTO ${inSchema(schema, "petstore_migrations")} (id, name, checksum, applied_at, compatible_with)
  VALUES (${id}, ${literal(name)}, ${literal(checksum)}, ${now}, ${compatibleWith});`
    ])
  ].join("\n")

/** Statements as a script that does all or nothing, whatever the settings of who runs it. */
export const transactionScript = (...statements: ReadonlyArray<string>): string =>
  ["BEGIN;", ...definingSettings.map((setting) => `${setting};`), ...statements, "COMMIT;"].join("\n")

/** The SQL that {@link migrate} would run, for another role or program to run; undefined if the schema is up to date. */
export const plannedMigration = async (
  connection: PostgresConnection,
  schema: string,
  known: ReadonlyArray<Migration> = migrations
): Promise<string | undefined> => {
  await requireServer(connection)
  const steps = await pending(connection, schema, known)
  if (steps.length === 0) return undefined
  const statements = migrationScript(schema, steps, await hasSchema(connection, schema))
  return transactionScript(lock(schema), statements)
}

/**
 * Brings the schema up to date, in one transaction. Of several processes one does it, while the others wait and then find
 * it done: not even `IF NOT EXISTS` protects those that create a schema at the same time.
 */
export const migrate = async (
  connection: PostgresConnection,
  schema: string,
  known: ReadonlyArray<Migration> = migrations,
  onStep: OnSchemaStep = () => {}
): Promise<void> => {
  await requireServer(connection)
  if ((await pending(connection, schema, known)).length === 0) return
  await connection.patiently(async () => {
    await connection.run(begin)
    try {
      await connection.run(lock(schema))
      const steps = await pending(connection, schema, known)
      for (const [done, step] of steps.entries()) {
        if (steps.length < known.length) onStep(`${done} of ${steps.length} migrations applied`, done / steps.length)
        await connection.run(migrationScript(schema, [step], await hasSchema(connection, schema)))
      }
      await connection.run("COMMIT")
    } catch (cause) {
      await connection.run("ROLLBACK").catch(() => connection.break())
      throw cause
    }
  })
}

/** Throws if the schema is not up to date. */
export const requireMigrated = async (
  connection: PostgresConnection,
  schema: string,
  known: ReadonlyArray<Migration> = migrations
): Promise<void> => {
  await requireServer(connection)
  const steps = await pending(connection, schema, known)
  if (steps.length > 0) {
    throw refusal(
      `The schema ${schema} lacks ${steps.length} of ${known.length} migrations. Run "petstore migrate", or open it with migrate: true.`
    )
  }
}
