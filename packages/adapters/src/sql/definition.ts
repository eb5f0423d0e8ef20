import type { ColumnType } from "@petstore/core/kernel"
import { type AnyTable, indexText, nameOf, tables } from "./tableText.ts"

/** What differs between databases where tables are created. */
export interface DefinitionDialect {
  readonly types: Readonly<Record<ColumnType, string>>
  /** The type of an id that the database gives. */
  readonly id: string
  /** A check, in the functions of the database. */
  readonly check: (text: string) => string
  /** A check of the values that a boolean can have, if the database has no such type. */
  readonly boolean?: (column: string) => string
  /** What follows the columns. */
  readonly end: (table: AnyTable) => string
  /** What stands before the names of indexes. */
  readonly mark?: string
}

/** Creates a table, with its checks and its indexes. */
export const definition = (
  table: AnyTable,
  { boolean, check, end, id, mark = "", types }: DefinitionDialect
): string => {
  const { checks, columns, generatesIds, indexes, key, references } = table
  const columnText = (name: string): string => {
    const column = columns[name]
    const isKey = key.length === 1 && key[0] === name
    if (isKey && generatesIds) return `${name} ${id} PRIMARY KEY`
    const other = references[name]
    const isOptional = column?.isOptional === true || column?.path?.some((step) => step.endsWith("?")) === true
    return [
      `${name} ${types[column?.type ?? "text"]}`,
      ...(isOptional ? [] : ["NOT NULL"]),
      ...(isKey ? ["PRIMARY KEY"] : []),
      ...(other === undefined ? [] : [`REFERENCES ${nameOf({ name: other })} (id)`])
    ].join(" ")
  }
  const names = Object.keys(columns)
  const booleans = boolean === undefined ? [] : names.filter((name) => columns[name]?.type === "boolean").map(boolean)
  const lines = [
    ...names.map(columnText),
    ...(key.length > 1 ? [`PRIMARY KEY (${key.join(", ")})`] : []),
    ...[...booleans, ...checks].map((text) => `CHECK (${check(text)})`)
  ]
  return [
    `CREATE TABLE ${nameOf(table)} (\n  ${lines.join(",\n  ")}\n)${end(table)};`,
    ...Object.entries(indexes)
      .filter(([, { option }]) => option === undefined)
      .map(([name, index]) => `${indexText(table, name, index, mark)};`)
  ].join("\n")
}

/** Creates every table, with its checks and its indexes. */
export const definitions = (dialect: DefinitionDialect): string =>
  [...tables.values()].map((table) => definition(table, dialect)).join("\n\n")
