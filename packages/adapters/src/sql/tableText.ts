/** The SQL of a table that the tables describe. */

import { type Condition, type Index, type Range, rangeOf, type StoredTable } from "@petstore/core/engine"
import type { IndexRange } from "./IndexRange.ts"

/** A table, whatever its rows are. */
export type AnyTable = StoredTable<never, never>

/** The name of a table, without its prefix. */
export const bareName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const nameOf = ({ name }: Pick<AnyTable, "name">): string => `petstore_${bareName(name)}`

const literal = (value: unknown): string => (typeof value === "string" ? `'${value}'` : String(value))

const conditionText = (condition: Condition): string => {
  const { column } = condition
  if ("isPresent" in condition) return `${column} IS ${condition.isPresent ? "NOT " : ""}NULL`
  if ("includes" in condition) return `${column} LIKE '%${condition.includes}%'`
  if ("isNot" in condition) return `${column} <> ${literal(condition.isNot)}`
  if (typeof condition.is === "boolean") return condition.is ? column : `NOT ${column}`
  return `${column} = ${literal(condition.is)}`
}

/** Conditions, as the indexes of the schema have them: SQLite uses an index for a condition of the same text alone. */
export const conditionsText = (conditions: ReadonlyArray<Condition>): string =>
  conditions.length === 0 ? "TRUE" : conditions.map(conditionText).join(" AND ")

/** A name in the order of an index, or the expression that it stands for. */
export const expressionOf = ({ computed }: Pick<AnyTable, "computed">, name: string): string => computed[name]?.sql ?? name

export const indexName = (table: Pick<AnyTable, "name">, index: string): string => `${nameOf(table)}_${index}`

/** The indexes of a table. */
export const indexText = (table: AnyTable, name: string, { columns, unique, where = [] }: Index): string =>
  `CREATE ${unique === undefined ? "" : "UNIQUE "}INDEX ${indexName(table, name)} ON ${nameOf(table)} (${columns
    .map((column) => expressionOf(table, column))
    .join(", ")})${where.length === 0 ? "" : ` WHERE ${conditionsText(where)}`}`

/** A range in the words of a database. */
export const indexRange = (table: AnyTable, range: Range): IndexRange => {
  const { order, where } = rangeOf(table, range)
  const { after = [], before, equal = {}, from, index, to } = range
  return {
    ...(index === undefined ? {} : { index: indexName(table, index) }),
    contains: conditionsText(where),
    equal: Object.entries(equal).map(([name, value]) => [expressionOf(table, name), value]),
    order: order.map((name) => expressionOf(table, name)),
    after,
    from,
    to,
    before
  }
}
