import { InternalError, type ListIndex } from "@petstore/core/domain"
import { type BuildOptions, indexStatements } from "../../sql/listIndexes.ts"
import type { PostgresConnection } from "../connection/PostgresConnection.ts"
import { definedIn, withJson } from "../statements/dialect.ts"
import { begin, lock } from "./migrate.ts"

const selectIndexes = `SELECT t.relname AS "table", c.relname AS name, i.indisvalid AS valid
  FROM pg_catalog.pg_index AS i
    JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
    JOIN pg_catalog.pg_class AS t ON t.oid = i.indrelid
    JOIN pg_catalog.pg_namespace AS n ON n.oid = t.relnamespace
  WHERE n.nspname = $1`

const needed = async (
  connection: PostgresConnection,
  schema: string,
  indexes: ReadonlyArray<ListIndex>,
  options: BuildOptions
) => {
  const { rows } = await connection.query(selectIndexes, [schema])
  const found = rows.map(({ name, table, valid }) => ({ name: String(name), table: String(table), valid }))
  const invalid = found.find(({ name, table, valid }) => valid !== true && name.startsWith(`${table}_by_`))
  if (invalid !== undefined) {
    const message = `The index ${invalid.name} of the schema ${schema} is invalid: its build is running, or has failed. Wait for it, or drop the index.`
    throw new InternalError({}, { message })
  }
  return indexStatements(indexes, found, options, { mark: "@" }).map((text) => definedIn(schema, withJson(text)))
}

/** Builds the indexes of lists that a schema lacks, in one transaction: one process at a time, for whose time writers of these rows wait. */
export const buildIndexes = async (
  connection: PostgresConnection,
  schema: string,
  indexes: ReadonlyArray<ListIndex>,
  options: BuildOptions
): Promise<void> => {
  if ((await needed(connection, schema, indexes, options)).length === 0) return
  await connection.patiently(async () => {
    await connection.run(begin)
    try {
      await connection.run(lock(schema))
      for (const text of await needed(connection, schema, indexes, options)) await connection.run(text)
      await connection.run("COMMIT")
    } catch (cause) {
      await connection.run("ROLLBACK").catch(() => connection.break())
      throw cause
    }
  })
}
