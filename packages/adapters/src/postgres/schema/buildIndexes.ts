import { InternalError, type ListIndex } from "@petstore/core/domain"
import type { OnSchemaStep } from "@petstore/core/ports"
import { type BuildOptions, indexStatements, isOfLists } from "../../sql/listIndexes.ts"
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
  const existing = rows.map(({ name, table, valid }) => ({ name: String(name), table: String(table), valid }))
  const invalid = existing.find((index) => index.valid !== true && isOfLists(index))
  if (invalid !== undefined) {
    const message = `The index ${invalid.name} of the schema ${schema} is invalid: its build is running, or has failed. Wait for it, or drop the index.`
    throw new InternalError({}, { message })
  }
  try {
    return indexStatements(indexes, existing, options, { mark: "@", subjects: "subject, seq" }).map((text) =>
      definedIn(schema, withJson(text))
    )
  } catch (cause) {
    throw new InternalError({}, { message: `Schema ${schema}: ${(cause as Error).message}` })
  }
}

/**
 * Builds the indexes of lists that a schema lacks: one process at a time, for whose time writers of these rows wait. Each has a transaction
 * of its own, since a writer that waits for one table may hold another one, for which the next index would wait.
 */
export const buildIndexes = async (
  connection: PostgresConnection,
  schema: string,
  indexes: ReadonlyArray<ListIndex>,
  options: BuildOptions,
  onStep: OnSchemaStep
): Promise<void> => {
  const buildNext = async (): Promise<string | undefined> => {
    await connection.run(begin)
    try {
      await connection.run(lock(schema))
      const [text] = await needed(connection, schema, indexes, options)
      if (text !== undefined) await connection.run(text)
      await connection.run("COMMIT")
      return text
    } catch (cause) {
      await connection.run("ROLLBACK").catch(() => connection.break())
      throw cause
    }
  }
  const { length: count } = await needed(connection, schema, indexes, options)
  if (count === 0) return
  await connection.patiently(async () => {
    let built: string | undefined
    for (let done = 0; ; done++) {
      onStep(`${done} of ${count} indexes built`, Math.min(1, done / count))
      const next = await buildNext()
      // The same one twice: a table has its name.
      if (next === built) return
      built = next
    }
  })
}
