import { bytesOfHex } from "../../sql/hex.ts"
import { tables } from "../../sql/tableText.ts"
import type { Row } from "../connection/driver.ts"
import type { Parameter, Result } from "../connection/PostgresConnection.ts"

/** A statement as `petstore_host_call` runs it: `sql` is a template of `format`, and `values` are its arguments. */
export interface StepStatement {
  readonly sql: string
  readonly values: ReadonlyArray<string | number | boolean | null>
  /** Whether it returns one JSON value. */
  readonly returns?: true
}

const hexOf = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString("hex")}`

const arrayItem = (item: unknown): string => {
  if (item === null) return "NULL"
  const text = item instanceof Uint8Array ? hexOf(item) : String(item)
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
}

/** A value as the text or JSON value that `format` quotes. */
const toArgument = (value: Parameter): StepStatement["values"][number] => {
  if (value instanceof Uint8Array) return hexOf(value)
  if (typeof value === "bigint") return String(value)
  if (typeof value === "string") return value.toWellFormed()
  return typeof value === "object" && value !== null ? `{${value.map(arrayItem).join(",")}}` : value
}

/** A template of `format` for a statement with placeholders such as `$1`. */
const template = (text: string): string => text.replaceAll("%", "%%").replace(/\$(\d+)/g, "%$1$$L")

/** A statement whose result is not read. */
export const silent = (text: string, values: ReadonlyArray<Parameter>): StepStatement => ({
  sql: template(text),
  values: values.map(toArgument)
})

/** A query, with its rows as the result. */
export const query = (text: string, values: ReadonlyArray<Parameter>): StepStatement => ({
  ...silent(`SELECT coalesce(json_agg(r), '[]') FROM (${text}) AS r`, values),
  returns: true
})

/** The columns with bytes, which JSON has as text. */
const byteColumns = [...tables.values()].flatMap(({ columns }) =>
  Object.entries(columns).flatMap(([name, { type }]) => (type === "bytes" ? [name] : []))
)

const toRow = (row: object): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "string" && byteColumns.includes(name) ? bytesOfHex(value, 2) : value
    ])
  )

/** The result of {@link query} as a driver returns it. */
export const resultOf = (json: unknown): Result => {
  const rows = (Array.isArray(json) ? json : []).map((row: unknown) => toRow(Object(row)))
  return { rows, count: rows.length, command: "" }
}
