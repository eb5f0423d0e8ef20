import type { DatabaseSync } from "node:sqlite"
import { Connection } from "../connection/Connection.ts"
import { nodeSqlite } from "../connection/nodeSqlite.ts"
import { migrate } from "./migrate.ts"

// What SQLite creates by itself, such as the index of a primary key, has no SQL and belongs to its table.
const select = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"

const partsOf = (database: DatabaseSync): ReadonlyMap<string, unknown> =>
  new Map(
    database
      .prepare(select)
      .all()
      .map(({ name, sql, type }) => [`${type} ${name}`, sql])
  )

const expected = new Map<string, ReadonlyMap<string, unknown>>()

/** The schema that the migrations create in an empty file, for this prefix: the SQL of each part by its type and name. */
export const expectedParts = (prefix: string): ReadonlyMap<string, unknown> => {
  const parts = expected.get(prefix) ?? migratedParts(prefix)
  expected.set(prefix, parts)
  return parts
}

const migratedParts = (prefix: string): ReadonlyMap<string, unknown> => {
  const { DatabaseSync } = nodeSqlite()
  const database = new DatabaseSync(":memory:")
  try {
    migrate(new Connection(database, { prefix }))
    return partsOf(database)
  } finally {
    database.close()
  }
}

/** Finds the expected tables, indexes and triggers that a file lacks or has in another form. Ignores other ones. */
export const schemaProblems = (
  { database }: Connection,
  expected: ReadonlyMap<string, unknown>
): ReadonlyArray<string> => {
  const found = partsOf(database)
  return [...expected].flatMap(([part, sql]) => {
    if (!found.has(part)) return [`the ${part} is missing`]
    return found.get(part) === sql ? [] : [`the ${part} differs from the one that the migrations create`]
  })
}
