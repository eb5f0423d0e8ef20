import type { SchemaProblem } from "../../sql/MigrationState.ts"
import { bareName, tables } from "../../sql/tableText.ts"
import { sqlState } from "../connection/errors.ts"
import type { PostgresConnection } from "../connection/PostgresConnection.ts"
import { definingSettings } from "../connection/settings.ts"
import { inSchema, quoted } from "../statements/dialect.ts"
import { type Catalogue, type Read, readCatalogue } from "./catalogue.ts"
import { compareCatalogues } from "./compareCatalogues.ts"
import { migrationScript, pending, requireServer } from "./migrate.ts"
import { migrations } from "./migrations/index.ts"

const selectVersion = "SELECT current_setting('server_version_num')::int AS version"

const versionOf = async (read: Read): Promise<number> => Number((await read(selectVersion, [])).rows[0]?.version)

/** What the migrations create, by the version of the server: each writes definitions in its own way. */
const expected = new Map<number, Catalogue>()

const readOn =
  (connection: PostgresConnection): Read =>
  (text, values) =>
    connection.query(text, values)

/**
 * Finds out what the migrations create on this server: as temporary tables, which most roles may create, and which are rolled
 * back.
 */
const expectedCatalogue = async (connection: PostgresConnection): Promise<Catalogue> => {
  const version = await versionOf(readOn(connection))
  const known = expected.get(version)
  if (known !== undefined) return known
  await connection.run(["BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", ...definingSettings].join("; "))
  try {
    await connection.run("SET LOCAL client_min_messages = error")
    const script = migrationScript("pg_temp", migrations, true)
    // Temporary tables are not logged anyway.
    await connection.run(script.replaceAll("CREATE UNLOGGED ", "CREATE "))
    const temporary = await readCatalogue(readOn(connection), "pg_temp")
    const isUnlogged = (table: string): boolean => new RegExp(`CREATE UNLOGGED TABLE \\S*\\b${table}\\b`).test(script)
    const catalogue = {
      ...temporary,
      tables: temporary.tables.map((table) => ({ ...table, isUnlogged: isUnlogged(table.name) }))
    }
    expected.set(version, catalogue)
    return catalogue
  } finally {
    await connection.run("ROLLBACK").catch(() => connection.break())
  }
}

const insufficientPrivilege = "42501"

/** Finds out what {@link schemaDifferences} compares with, if the role may create temporary tables. */
export const prepareExpected = async (connection: PostgresConnection): Promise<void> => {
  try {
    await expectedCatalogue(connection)
  } catch (cause) {
    if (sqlState(cause) !== insufficientPrivilege) throw cause
  }
}

const columnsWithSequences = [
  ...[...tables.values()].flatMap(({ generatesIds, name }) => (generatesIds ? [[bareName(name), "id"]] : [])),
  ["access_log", "seq"],
  ["pending", "ticket"]
]

/** Sequences that would give an id that a row has: after a restore of rows without their sequences, for example. */
const sequenceProblems = async (
  connection: PostgresConnection,
  schema: string
): Promise<ReadonlyArray<SchemaProblem>> => {
  const problems: Array<SchemaProblem> = []
  for (const [name, column] of columnsWithSequences) {
    const table = inSchema(schema, `petstore_${name}`)
    const sequence = `pg_get_serial_sequence('${table.replaceAll("'", "''")}', '${column}')`
    const { rows } = await connection.query(
      `SELECT max(${column}) AS greatest, pg_sequence_last_value(${sequence}::regclass) AS last FROM ${table}`
    )
    const [row] = rows
    const greatest = row?.greatest
    if (typeof greatest !== "number" || Number(row?.last ?? 0) >= greatest) continue
    problems.push({
      problem: `the sequence of petstore_${name} is behind its rows`,
      statements: [`SELECT setval(${sequence}, max(${column})) FROM ${table};`]
    })
  }
  return problems
}

const selectEnd = `SELECT (SELECT coalesce(max(seq), 0) FROM petstore_events) = (SELECT last FROM petstore_log_end) AS agrees`

const logProblems = async (connection: PostgresConnection, schema: string): Promise<ReadonlyArray<SchemaProblem>> => {
  const { rows } = await connection.query(inSchema(schema, selectEnd))
  if (rows[0]?.agrees === true) return []
  return [
    {
      problem: "petstore_log_end does not have the number of the last event",
      statements: [
        inSchema(
          schema,
          "INSERT INTO petstore_log_end (last) SELECT coalesce(max(seq), 0) FROM petstore_events ON CONFLICT (one) DO UPDATE SET last = excluded.last;"
        )
      ]
    }
  ]
}

/** Triggers that may change or skip rows which the petstore writes, beside its own. */
const rowTriggers = (schema: string, expected: Catalogue, actual: Catalogue): ReadonlyArray<SchemaProblem> =>
  actual.triggers
    .filter(
      ({ definition, name, table, works }) =>
        works &&
        / BEFORE (?:INSERT|UPDATE|DELETE)\b.* FOR EACH ROW /.test(definition) &&
        expected.tables.some((one) => one.name === table) &&
        !expected.triggers.some((one) => one.table === table && one.name === name)
    )
    .map(({ name, table }) => ({
      problem: `the trigger ${name} of ${table} may change or skip rows before they are written; to reject them, use an AFTER trigger`,
      statements: [`DROP TRIGGER ${quoted(name)} ON ${inSchema(schema, table)};`]
    }))

const selectLast = "SELECT max(id) AS last FROM petstore_migrations"

/** Whether a newer release, which this one can work with, has changed the schema. */
const isNewer = async (read: Read, schema: string): Promise<boolean> => {
  const { rows } = await read(inSchema(schema, selectLast), [])
  return Number(rows[0]?.last) > (migrations.at(-1)?.id ?? 0)
}

/**
 * The problems of a schema in short. Without {@link prepareExpected} there are none, nor if a newer release has changed the
 * schema.
 */
export const schemaDifferences = async (read: Read, schema: string): Promise<ReadonlyArray<string>> => {
  const catalogue = expected.get(await versionOf(read))
  if (catalogue === undefined || (await isNewer(read, schema))) return []
  return compareCatalogues(schema, catalogue, await readCatalogue(read, schema)).map(({ problem }) => problem)
}

/** Compares a schema with the one that the migrations of this release create, and checks that ids and numbers continue behind the rows. */
export const diagnose = async (
  connection: PostgresConnection,
  schema: string
): Promise<ReadonlyArray<SchemaProblem>> => {
  await requireServer(connection)
  const missing = await pending(connection, schema, migrations)
  if (missing.length > 0) {
    const problem = `the schema ${quoted(schema)} lacks the migrations ${missing.map(({ id }) => id).join(", ")}: run petstore migrate`
    return [{ problem, statements: [] }]
  }
  if (await isNewer(readOn(connection), schema)) {
    return [{ problem: "a newer release has migrated the schema: run its petstore doctor", statements: [] }]
  }
  const catalogue = await expectedCatalogue(connection)
  await connection.run(["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ...definingSettings].join("; "))
  try {
    const actual = await readCatalogue(readOn(connection), schema)
    const problems = [...compareCatalogues(schema, catalogue, actual), ...rowTriggers(schema, catalogue, actual)]
    // These read the tables, which must be there.
    if (problems.length > 0) return problems
    return [...(await sequenceProblems(connection, schema)), ...(await logProblems(connection, schema))]
  } finally {
    await connection.run("ROLLBACK").catch(() => connection.break())
  }
}
