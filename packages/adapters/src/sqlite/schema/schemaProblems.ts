import type { DatabaseSync } from "node:sqlite"
import type { SchemaProblem } from "../../sql/MigrationState.ts"
import { Connection, nodeSqlite } from "../connection/Connection.ts"
import { migrate } from "./migrate.ts"

/** A table, index or trigger, with the SQL that creates it. */
interface Part {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly sql: string
}

// What SQLite creates by itself, such as the index of a primary key, has no SQL and belongs to its table.
const select = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"

const partsOf = (database: DatabaseSync): ReadonlyMap<string, Part> =>
  new Map(
    database
      .prepare(select)
      .all()
      .map(({ name, sql, tbl_name, type }) => [
        `${type} ${name}`,
        { type: String(type), name: String(name), table: String(tbl_name), sql: String(sql) }
      ])
  )

/** The parts of a schema by their type and name. */
export type SchemaParts = ReadonlyMap<string, Part>

const expected = new Map<string, SchemaParts>()

/** The schema that the migrations create in an empty file, for this prefix. */
export const expectedParts = (prefix: string): SchemaParts => {
  const parts = expected.get(prefix) ?? migratedParts(prefix)
  expected.set(prefix, parts)
  return parts
}

const migratedParts = (prefix: string): SchemaParts => {
  const { DatabaseSync } = nodeSqlite()
  const database = new DatabaseSync(":memory:")
  try {
    migrate(new Connection(database, { prefix }))
    return partsOf(database)
  } finally {
    database.close()
  }
}

const columnsOf = (database: DatabaseSync, table: string): ReadonlyArray<string> =>
  database
    .prepare("SELECT name FROM pragma_table_info(?)")
    .all(table)
    .map(({ name }) => String(name))

/**
 * Replaces a table by the expected one, and copies the rows. SQLite cannot change constraints, and renaming a table would
 * change the SQL that it keeps. With the old table its indexes and triggers go, and are created again.
 */
const rebuilt = (database: DatabaseSync, { name, sql }: Part, parts: SchemaParts): ReadonlyArray<string> => {
  const fresh = new (nodeSqlite().DatabaseSync)(":memory:")
  fresh.exec(sql)
  const wanted = columnsOf(fresh, name)
  fresh.close()
  const columns = columnsOf(database, name)
    .filter((column) => wanted.includes(column))
    .join(", ")
  const others = [...parts.values()].filter(({ table, type }) => table === name && type !== "table")
  return [
    "PRAGMA foreign_keys = OFF;",
    "BEGIN IMMEDIATE;",
    `CREATE TEMP TABLE rows_of_${name} AS SELECT ${columns} FROM main.${name};`,
    `DROP TABLE main.${name};`,
    `${sql};`,
    `INSERT INTO main.${name} (${columns}) SELECT ${columns} FROM temp.rows_of_${name};`,
    `DROP TABLE temp.rows_of_${name};`,
    ...others.map((other) => `${other.sql};`),
    "COMMIT;",
    "PRAGMA foreign_keys = ON;"
  ]
}

/** Finds the expected tables, indexes and triggers that a file lacks or has in another form, and how to mend it. Ignores other ones. */
export const schemaProblems = ({ database }: Connection, expected: SchemaParts): ReadonlyArray<SchemaProblem> => {
  const actual = partsOf(database)
  const differs = ([key, { sql }]: readonly [string, Part]) => actual.has(key) && actual.get(key)?.sql !== sql
  const replaced = [...expected]
    .filter((entry) => entry[1].type === "table" && differs(entry))
    .map(([, { name }]) => name)
  return [...expected].flatMap(([key, part]) => {
    const { name, sql, table, type } = part
    // Rebuilding its table creates it too.
    const isMended = type !== "table" && replaced.includes(table)
    if (!actual.has(key)) {
      return [{ problem: `the ${key} is missing`, statements: isMended ? [] : [`${sql};`] }]
    }
    if (actual.get(key)?.sql === sql) return []
    const statements =
      type === "table" ? rebuilt(database, part, expected) : [`DROP ${type.toUpperCase()} ${name};`, `${sql};`]
    return [
      { problem: `the ${key} differs from the one that the migrations create`, statements: isMended ? [] : statements }
    ]
  })
}
