import type { Table } from "@petstore/core/kernel"
import type { RowTarget } from "../../../sql/RowTarget.ts"
import { changingColumns, insertionInto, nameOf, type RowKey } from "../../../sql/tableText.ts"
import type { Value } from "../../../sql/Value.ts"
import type { Parameter } from "../../connection/PostgresConnection.ts"
import { binaryArray } from "../../statements/binaryArray.ts"
import { columnTypes, inSchema } from "../../statements/dialect.ts"

/** A statement and its values, ready to be sent. */
export interface Prepared {
  readonly text: string
  readonly values: ReadonlyArray<Parameter>
}

/** Writes rows of one table by one statement, however many they are. */
export type Write<A> = (rows: ReadonlyArray<A>) => Prepared

type Columns = RowTarget["columns"]

/** One row costs the server half as much by placeholders as by arrays. */
interface Texts {
  readonly one: string
  readonly many: string
}

/** The rows of arrays that are the parameters of a statement, one for each column. */
export const arrays = (columns: Columns): string =>
  `unnest(${columns.map(({ type }, index) => `$${index + 1}::${columnTypes[type]}[]`).join(", ")})`

/** The values of columns of some rows: of a single one by themselves, else an array for each column. */
export const parameters = (columns: Columns, rows: ReadonlyArray<ReadonlyArray<Value>>): ReadonlyArray<Parameter> => {
  const [only] = rows
  if (rows.length === 1 && only !== undefined) return only.map((value) => value ?? null)
  return columns.map(({ type }, place) =>
    binaryArray(
      type,
      rows.map((row) => row[place])
    )
  )
}

const write = <A>(
  schema: string,
  columns: Columns,
  valuesOf: (row: A) => ReadonlyArray<Value>,
  texts: Texts
): Write<A> => {
  const one = inSchema(schema, texts.one)
  const many = inSchema(schema, texts.many)
  return (rows) => ({
    text: rows.length === 1 ? one : many,
    values: parameters(columns, rows.map(valuesOf))
  })
}

/** Adds rows; what becomes of those whose keys exist, the table says. */
export const insertion = <Row, Key extends RowKey>(schema: string, table: Table<Row, Key>): Write<Row> => {
  const {
    target: { columns, end = "", table: name },
    valuesOf
  } = insertionInto(table, { withIds: true })
  const into = `INSERT INTO ${name} (${columns.map((column) => column.name).join(", ")})`
  const places = columns.map((_, index) => `$${index + 1}`)
  return write(schema, columns, valuesOf, {
    one: `${into} VALUES (${places.join(", ")})${end}`,
    many: `${into} SELECT * FROM ${arrays(columns)}${end}`
  })
}

/** The columns in which some rows differ from others, those that are stored. */
export const changedColumns = <Row, Key extends RowKey>(
  table: Table<Row, Key>,
  rows: ReadonlyArray<readonly [stored: Row, row: Row]>
): ReadonlyArray<string> =>
  changingColumns(table).flatMap(([name, { read }]) =>
    rows.some(([stored, row]) => read(stored) !== read(row)) ? [name] : []
  )

export const columnsOf = <Row, Key extends RowKey>(table: Table<Row, Key>, names: ReadonlyArray<string>): Columns =>
  names.map((name) => ({ name, type: table.columns[name]?.type ?? "text" }))

/** Removes rows by the values of their keys. */
export const removal = <Row, Key extends RowKey>(
  schema: string,
  table: Table<Row, Key>
): Write<ReadonlyArray<Value>> => {
  const { key } = table
  const columns = columnsOf(table, key)
  const [first] = columns
  // The first column is looked for in its array too: a plan that joins may read all of the table.
  const wanted = `${first?.name} = ANY($1::${columnTypes[first?.type ?? "text"]}[])`
  const all = columns.length === 1 ? "" : ` AND (${key.join(", ")}) IN (SELECT * FROM ${arrays(columns)})`
  return write(schema, columns, (values) => values, {
    one: `DELETE FROM ${nameOf(table)} WHERE ${key.map((name, index) => `${name} = $${index + 1}`).join(" AND ")}`,
    many: `DELETE FROM ${nameOf(table)} WHERE ${wanted}${all}`
  })
}

/**
 * Replaces some columns of rows that exist. The key is looked for in its array too: the plan of a join that was made while
 * the table was empty may read all of it.
 */
export const update = <Row, Key extends RowKey>(
  schema: string,
  table: Table<Row, Key>,
  names: ReadonlyArray<string>
): Write<Row> => {
  const { columns, key } = table
  const all = columnsOf(table, [...key, ...names])
  const readers = all.map(({ name }) => columns[name]?.read)
  const assigned = names.map((name, index) => `${name} = $${key.length + index + 1}`)
  const keyed = key.map((name, index) => `${name} = $${index + 1}`)
  const copied = names.map((name) => `${name} = changed.${name}`)
  const joined = key.map((name) => `stored.${name} = changed.${name}`)
  const wanted = columnsOf(table, key).map(
    ({ name, type }, index) => `stored.${name} = ANY($${index + 1}::${columnTypes[type]}[])`
  )
  return write(schema, all, (row) => readers.map((read) => read?.(row)), {
    one: `UPDATE ${nameOf(table)} SET ${assigned.join(", ")} WHERE ${keyed.join(" AND ")}`,
    many: `UPDATE ${nameOf(table)} AS stored SET ${copied.join(", ")}
      FROM ${arrays(all)} AS changed (${all.map(({ name }) => name).join(", ")}) WHERE ${[...joined, ...wanted].join(" AND ")}`
  })
}
