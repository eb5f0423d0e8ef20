/** The SQL of a table, as its description gives it. */

import {
  type Column,
  type Computed,
  type Condition,
  type Index,
  type Range,
  rangeOf,
  type Table
} from "@petstore/core/kernel"
import { schema } from "@petstore/core/tables"
import type { IndexRange } from "./IndexRange.ts"
import type { RowTarget } from "./RowTarget.ts"
import type { Value } from "./Value.ts"

/** The key of a row, as commands name it. */
export type RowKey = number | string

/** A table whose rows may have any type. */
export type AnyTable = Table<unknown, RowKey>

// Statements depend on the names of columns alone, and read rows by what the description of their own table gives.
const untyped = (table: unknown): AnyTable => table as AnyTable

/** The tables by their names, in the order of the references between them. */
export const tables: ReadonlyMap<string, AnyTable> = new Map(
  Object.entries(schema).map(([name, table]) => [name, untyped(table)])
)

/** A table that something refers to by its name. */
export const tableNamed = (name: string): AnyTable => {
  const table = tables.get(name)
  if (table === undefined) throw new Error(`There is no table ${name}`)
  return table
}

/** The table of a view; any other table itself. */
const wholeTable = <Row, Key extends RowKey>(table: Table<Row, Key>): AnyTable =>
  table.viewOf === undefined ? untyped(table) : tableNamed(table.name)

const prefix = "petstore_"

/** A name of a table without the prefix. */
export const bareName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What a description of a table is called in a database. */
export const nameOf = ({ name }: { readonly name: string }): string => `${prefix}${bareName(name)}`

const literal = (value: unknown): string => (typeof value === "string" ? `'${value}'` : String(value))

type Expressions = Readonly<Record<string, Pick<Computed<never>, "sql">>>

const conditionText = (condition: Condition, of: string, computed: Expressions): string => {
  const column = computed[condition.column]?.sql ?? `${of}${condition.column}`
  if ("isPresent" in condition) return `${column} IS ${condition.isPresent ? "NOT " : ""}NULL`
  if ("includes" in condition) return `${column} LIKE '%${condition.includes}%'`
  if ("isNot" in condition) return `${column} <> ${literal(condition.isNot)}`
  if (typeof condition.is === "boolean") return condition.is ? column : `NOT ${column}`
  return `${column} = ${literal(condition.is)}`
}

/** Conditions, as the indexes of the schema have them: SQLite uses an index for a condition of the same text alone. */
export const conditionsText = (conditions: ReadonlyArray<Condition>, of = "", computed: Expressions = {}): string =>
  conditions.length === 0 ? "TRUE" : conditions.map((condition) => conditionText(condition, of, computed)).join(" AND ")

/** A name in the order of an index, or the expression that it stands for. */
const expressionOf = (computed: Expressions, name: string): string => computed[name]?.sql ?? name

/** Creates an index. `mark` stands before its name. */
export const indexText = (
  table: { readonly name: string; readonly computed: Expressions },
  name: string,
  { equal = [], isUnique, option, order = [], where = [] }: Index<never>,
  mark: string
) => {
  const columns = [...equal, ...order].map((column) => expressionOf(table.computed, column))
  const condition = where.length === 0 ? "" : ` WHERE ${conditionsText(where, "", table.computed)}`
  return `CREATE ${isUnique === true ? "UNIQUE " : ""}INDEX ${option === undefined ? "" : "IF NOT EXISTS "}${mark}${nameOf(table)}_${name} ON ${nameOf(table)} (${columns.join(", ")})${condition}`
}

/** A range in the words of a database. */
export const indexRange = <Row, Key extends RowKey>(of: Table<Row, Key>, range: Range): IndexRange => {
  const table = wholeTable(of)
  const { order, where } = rangeOf(table, range)
  const { after = [], also = {}, before, equal = {}, from, index, to, words } = range
  return {
    ...(index === undefined ? {} : { index: `${nameOf(table)}_${index}` }),
    contains: conditionsText(where, "", table.computed),
    equal: Object.entries(equal).map(([name, value]) => [expressionOf(table.computed, name), value]),
    also: Object.entries(also),
    ...(words === undefined ? {} : { words: { index: `${nameOf(table)}_words`, value: words } }),
    order: order.map((name) => expressionOf(table.computed, name)),
    after,
    from,
    to,
    before
  }
}

/** The columns that rows are made of: the others follow from them. */
const readColumns = <Row, Key extends RowKey>({ columns }: Table<Row, Key>): ReadonlyArray<string> =>
  Object.entries(columns).flatMap(([name, { path }]) => (path === undefined ? [] : [name]))

/** The columns of some ranges of a table, and those that they are merged by. */
const columnsFor = <Row, Key extends RowKey>(table: Table<Row, Key>, ranges: ReadonlyArray<Range>): string => {
  const { columns } = wholeTable(table)
  const order = ranges.flatMap((range) => rangeOf(wholeTable(table), range).order)
  return [...new Set([...readColumns(table), ...order.filter((name) => name in columns)])].join(", ")
}

/** A SELECT of the rows of some ranges, without a condition. */
export const selectFor = <Row, Key extends RowKey>(table: Table<Row, Key>, ranges: ReadonlyArray<Range>): string =>
  `SELECT ${columnsFor(table, ranges)} FROM ${nameOf(table)}`

/** A SELECT of all columns, without a condition. */
export const selectText = <Row, Key extends RowKey>(table: Table<Row, Key>): string =>
  `SELECT ${readColumns(table).join(", ")} FROM ${nameOf(table)}`

/** The condition that is true of one row. */
export const keyCondition = ({ key }: { readonly key: ReadonlyArray<string> }): string =>
  key.map((name) => `${name} = ?`).join(" AND ")

/** Selects a row that commands find. */
export const selectLiveText = <Row, Key extends RowKey>(table: Table<Row, Key>): string =>
  `${selectText(table)} WHERE ${keyCondition(table)}${table.live.length === 0 ? "" : ` AND ${conditionsText(table.live)}`}`

export const changingColumns = <Row, Key extends RowKey>({
  columns,
  key
}: Table<Row, Key>): ReadonlyArray<readonly [name: string, column: Column<Row>]> =>
  Object.entries(columns).filter(([name]) => !key.includes(name))

/** What follows an insertion of rows whose keys may exist; nothing if they may not. */
const onExisting = (table: AnyTable): string => {
  const { existing, key } = table
  if (existing === undefined) return ""
  if (existing === "kept") return " ON CONFLICT DO NOTHING"
  const assigned = changingColumns(table).map(([name]) => `${name} = excluded.${name}`)
  return ` ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${assigned.join(", ")}`
}

/** Where rows of a table are added, and the values of one: without the id, if the database gives it. */
export const insertionInto = <Row, Key extends RowKey>(
  table: Table<Row, Key>,
  { withIds = !table.generatesIds }: { readonly withIds?: boolean } = {}
): { readonly target: RowTarget; readonly valuesOf: (row: Row) => ReadonlyArray<Value> } => {
  const written = Object.entries(table.columns).filter(([name]) => withIds || !table.key.includes(name))
  const readers = written.map(([, { read }]) => read)
  return {
    target: {
      table: nameOf(table),
      columns: written.map(([name, { type }]) => ({ name, type })),
      ...(withIds ? {} : { generatesIds: true }),
      end: onExisting(untyped(table))
    },
    valuesOf: (row) => readers.map((read) => read(row))
  }
}

/** Replaces some columns of a row, or all that are not the key. `rows`: the condition of others. */
export const updateText = <Row, Key extends RowKey>(
  table: Table<Row, Key>,
  names: ReadonlyArray<string> = changingColumns(table).map(([name]) => name),
  rows = keyCondition(table)
): string => `UPDATE ${nameOf(table)} SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE ${rows}`

export const removalText = <Row, Key extends RowKey>(table: Table<Row, Key>): string =>
  `DELETE FROM ${nameOf(table)} WHERE ${keyCondition(table)}`

/**
 * Removes some of the rows that are older than a time, and that no other transaction has locked. They are found once: a subquery that
 * PostgreSQL runs again for each row would pass over the rows that it has locked, and the limit with them.
 */
export const purgeText = <Row, Key extends RowKey>(table: Table<Row, Key>): string => {
  const [name, key] = [nameOf(table), table.key.join(", ")]
  const [time] = table.indexes.age?.order ?? []
  if (time === undefined) throw new Error(`The rows of ${table.name} have no index of their age`)
  return `DELETE FROM ${name} WHERE (${key}) IN (WITH old AS MATERIALIZED (
      SELECT ${key} FROM ${name} INDEXED BY ${name}_age WHERE ${time} < ? LIMIT ? /*+ FOR UPDATE SKIP LOCKED */)
    SELECT ${key} FROM old)`
}

/** An index whose values commands may find taken by another row. */
export interface TakenIndex<Row> {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly where: ReadonlyArray<Condition>
  readonly taken: (row: Row) => Error
}

/** The index of a table whose values may be taken, if there is one. */
export const takenIndex = <Row, Key extends RowKey>({ indexes }: Table<Row, Key>): TakenIndex<Row> | undefined => {
  for (const [name, { equal = [], order = [], taken, where = [] }] of Object.entries(indexes)) {
    if (taken !== undefined) return { name, columns: [...equal, ...order], where, taken }
  }
  return undefined
}

/** The rows that have the same values in an index as a row, but for the row itself. */
export const othersText = <Row, Key extends RowKey>(
  table: Table<Row, Key>,
  { columns, where }: TakenIndex<Row>,
  of = ""
): string => {
  const equal = columns.map((name) => `${of}${name} = ?`)
  const same = table.key.map((name) => `${of}${name} = ?`)
  return [...equal, conditionsText(where, of), `NOT (${same.join(" AND ")})`].join(" AND ")
}
