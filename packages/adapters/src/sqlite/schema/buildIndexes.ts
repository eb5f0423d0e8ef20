import type { ListIndex } from "@petstore/core/domain"
import type { OnSchemaStep } from "@petstore/core/ports"
import { type BuildOptions, indexStatements } from "../../sql/listIndexes.ts"
import type { Connection } from "../connection/Connection.ts"
import { subjectKey } from "../events/subjectIndex.ts"

const selectIndexes = "SELECT tbl_name, name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"

const needed = (connection: Connection, indexes: ReadonlyArray<ListIndex>, options: BuildOptions) => {
  const existing = connection.database.prepare(selectIndexes).all()
  return indexStatements(
    indexes,
    existing.map(({ name, tbl_name }) => ({ name: String(name), table: String(tbl_name) })),
    options,
    { named: (sql) => connection.named(sql), subjects: subjectKey }
  )
}

/** Builds the indexes of lists that a file lacks, in one transaction. */
export const buildIndexes = (
  connection: Connection,
  indexes: ReadonlyArray<ListIndex>,
  options: BuildOptions,
  onStep: OnSchemaStep = () => {}
): void => {
  if (needed(connection, indexes, options).length === 0) return
  connection.run("BEGIN IMMEDIATE")
  try {
    const texts = needed(connection, indexes, options)
    for (const [done, text] of texts.entries()) {
      onStep(`${done} of ${texts.length} indexes built`, done / texts.length)
      connection.database.exec(text)
    }
    connection.run("COMMIT")
  } catch (cause) {
    connection.rollback()
    throw cause
  }
}
