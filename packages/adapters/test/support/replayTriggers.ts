import type { DatabaseSync } from "node:sqlite"
import { insertionOf } from "../../src/sql/RowTarget.ts"
import { rows } from "../../src/sql/rows.ts"
import type { Sql } from "../../src/sql/Sql.ts"
import { type RowChange, rowChangeOf } from "../../src/sqlite/statements/RowChange.ts"

/** Every statement of the store that a transaction of the host replays. */
export const writingStatements = (): ReadonlyArray<string> => {
  const statements = new Set<string>()
  const note = (statement: string): never => {
    statements.add(statement)
    return undefined as never
  }
  const unused = (): never => undefined as never
  const sql: Sql = {
    first: () => unused,
    all: () => unused,
    lock: () => unused,
    merge: () => ({ text: "", values: [] }),
    lockShared: () => unused,
    lockFree: () => unused,
    claim: () => unused,
    shortcut: () => unused,
    runOwn: () => unused,
    run: note,
    tryRun: note,
    append: note,
    insert: note,
    insertAll: (target) => {
      statements.add(insertionOf(target))
      return unused
    },
    insertMany: (target) => {
      statements.add(insertionOf(target))
      return unused
    },
    tryInsert: note
  }
  rows({ ...sql, first: () => () => unused() })
  return [...statements]
}

const blobs = (database: DatabaseSync, table: string): ReadonlyArray<unknown> =>
  database
    .prepare("SELECT name FROM pragma_table_info(?) WHERE type = 'BLOB'")
    .all(table)
    .map(({ name }) => name)

const hasOwnId = (database: DatabaseSync, { columns, table }: RowChange): boolean =>
  !columns.includes("id") &&
  database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = 'id'").get(table) !== undefined

/** The trigger that replays a statement, for the schema of a database. */
export const replayTrigger = (database: DatabaseSync, sql: string): string => {
  const write = rowChangeOf(sql)
  const { columns, name, table, verb } = write
  const hex = blobs(database, table)
  const value = (index: number): string => {
    const text = `NEW.vals ->> ${index}`
    return hex.includes(columns[index]) ? `unhex(${text})` : text
  }
  const assign = (separator: string): string =>
    columns.map((column, index) => `${column} = ${value(index)}`).join(separator)
  const statement = (): string => {
    switch (verb) {
      case "insert": {
        const id = hasOwnId(database, write) ? { names: ["id"], values: ["NEW.id"] } : { names: [], values: [] }
        const [, replacing = ""] = /(\s+ON CONFLICT \([^)]*\) DO UPDATE .*)$/s.exec(sql) ?? []
        const names = [...id.names, ...columns].join(", ")
        const values = [...id.values, ...columns.map((_, index) => value(index))].join(", ")
        return `INSERT INTO ${table} (${names})\n    VALUES (${values})${replacing}`
      }
      case "update":
        return `UPDATE ${table} SET ${assign(", ")}\n    WHERE id = NEW.vals ->> ${columns.length}`
      case "delete":
        return `DELETE FROM ${table} WHERE ${assign(" AND ")}`
    }
  }
  const view = table.replace("petstore_", "petstore_replay_")
  return `CREATE TRIGGER petstore_replay_${name.replaceAll(" ", "_")} INSTEAD OF INSERT ON ${view} WHEN NEW.write = '${name}'
  BEGIN ${statement()}; END`
}
