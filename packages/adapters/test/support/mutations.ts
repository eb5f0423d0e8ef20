import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite"

export type Row = Readonly<Record<string, SQLOutputValue>>

/** A column of a table as SQLite describes it. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly isKey: boolean
  readonly isNullable: boolean
}

/** A value that a column could have instead, and what kind of change that is. */
export interface Mutation {
  readonly what: string
  readonly value: SQLInputValue
}

/** Tables of a store, each with its columns. */
export const tablesOf = (database: DatabaseSync): ReadonlyMap<string, ReadonlyArray<Column>> => {
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'petstore%' ORDER BY name")
    .all()
    .map(({ name }) => String(name))
  return new Map(
    names.map((table) => [
      table,
      database
        .prepare(`PRAGMA table_info(${table})`)
        .all()
        .map(({ name, notnull, pk, type }) => ({
          name: String(name),
          type: String(type),
          isKey: Number(pk) > 0,
          isNullable: Number(notnull) === 0 && Number(pk) === 0
        }))
    ])
  )
}

const integers = (value: bigint): ReadonlyArray<Mutation> => [
  ...[0n, 1n, 2n, 999_999n, 2n ** 31n, 2n ** 53n - 1n].map((other) => ({ what: "another number", value: other })),
  { what: "another number", value: value + 1n },
  { what: "another number", value: value - 1n },
  ...[-value, -1n, -(2n ** 63n)].map((other) => ({ what: "a number below 0", value: other })),
  ...[2n ** 53n, 2n ** 62n].map((other) => ({ what: "a number that JSON readers do not keep", value: other }))
]

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const times = (value: string): ReadonlyArray<Mutation> => {
  const moved = (millis: number): string => new Date(Date.parse(value) + millis).toISOString()
  return [
    { what: "an earlier time", value: moved(-3_600_000) },
    { what: "an earlier time", value: moved(-86_400_000) },
    { what: "a later time", value: moved(3_600_000) },
    { what: "a later time", value: moved(86_400_000) },
    { what: "no time", value: value.replace(".", ",") },
    { what: "no time", value: value.replace("Z", "+00:00") },
    { what: "no time", value: `${value.slice(0, 4)}-02-30${value.slice(10)}` }
  ]
}

const texts = (value: string): ReadonlyArray<Mutation> => [
  { what: "no text", value: "" },
  { what: "another text", value: `${value}x` },
  { what: "another text", value: `x${value}` },
  { what: "another text", value: value.slice(0, -1) },
  { what: "another text", value: "x" },
  { what: "another case", value: value.toUpperCase() },
  { what: "a blank around it", value: `${value} ` },
  { what: "a blank around it", value: ` ${value}` }
]

/** A JSON value with each of its leaves altered, left out, or of another type; what was altered by its path. */
const leaves = (value: unknown): ReadonlyArray<readonly [path: string, what: string, value: unknown]> => {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => [
      ...leaves(item).map(([, what, other]) => ["", what, value.with(index, other)] as const),
      ["", "a member left out", value.toSpliced(index, 1)] as const
    ])
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, inner]) => [
      ...leaves(inner).map(([, what, other]) => [`.${name}`, what, { ...value, [name]: other }] as const),
      [`.${name}`, "left out", Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))] as const,
      [`.${name}`, "null", { ...value, [name]: null }] as const
    ])
  }
  if (typeof value === "number") {
    return [value + 1, value - 1, -value, 0, 1.5].map((other) => ["", "another number", other] as const)
  }
  if (typeof value === "boolean") return [["", "the opposite", !value]]
  if (typeof value !== "string") return []
  const others = time.test(value) ? times(value) : texts(value).slice(0, 2)
  return others.map(({ what, value: other }) => ["", what, other] as const)
}

const noSuchJson = (value: string): ReadonlyArray<Mutation> =>
  ["null", "7", "[]", "{}", '"x"', "", value.slice(1)].map((other) => ({ what: "no such JSON", value: other }))

const documents = (value: string): ReadonlyArray<Mutation> => [
  ...noSuchJson(value),
  ...[`${value} `, ` ${value}`].map((other) => ({ what: "a blank around it", value: other })),
  ...leaves(JSON.parse(value)).map(([path, what, other]) => ({
    what: `${path} ${what}`.trim(),
    value: JSON.stringify(other)
  }))
]

/** The values of these fields, as an event in a form has them. */
const listed = (value: string, fields: ReadonlyArray<string>): ReadonlyArray<Mutation> => {
  const values: ReadonlyArray<unknown> = JSON.parse(`[${value}`)
  const parsed = Object.fromEntries(fields.map((name, index) => [name, values[index]]))
  return [
    ...noSuchJson(value),
    { what: "no such JSON", value: `[${value}` },
    ...leaves(parsed).map(([path, what, other]) => ({
      what: `${path} ${what}`,
      value: JSON.stringify(Object.values(Object(other))).slice(1)
    }))
  ]
}

/** Every way in which the time of an event in a form is altered: milliseconds, or nothing, between it and that of its id. */
const delays = (value: string): ReadonlyArray<Mutation> => [
  { what: "an earlier time", value: `${Number(value) + 3_600_000}` },
  { what: "an earlier time", value: `${Number(value) + 86_000_000}` },
  ...["-1", "01", " ", "x", "1.5", "2026-05-04T09:30:00.000Z"].map((other) => ({ what: "no time", value: other }))
]

/** Every way in which a value of an event in a form is altered; its fields are those of the form. */
export const mutationsInForm = (
  value: SQLOutputValue,
  column: Column,
  fields: ReadonlyArray<string>,
  others: ReadonlyArray<SQLOutputValue>
): ReadonlyArray<Mutation> => {
  if (column.name === "data") return listed(String(value), fields)
  return column.name === "timestamp" ? delays(String(value)) : mutationsOf(value, column, others)
}

const blobs = (value: Uint8Array): ReadonlyArray<Mutation> => [
  { what: "other bytes", value: value.map((byte, index) => (index === 0 ? byte ^ 1 : byte)) },
  { what: "other bytes", value: new Uint8Array(value.length) },
  { what: "fewer bytes", value: value.slice(1) },
  { what: "fewer bytes", value: new Uint8Array() }
]

const isDocument = (value: string): boolean => /^[[{]/.test(value)

const ofValue = (value: SQLOutputValue, { type }: Column): ReadonlyArray<Mutation> => {
  if (typeof value === "bigint") return integers(value)
  if (value instanceof Uint8Array) return blobs(value)
  if (typeof value === "string") {
    if (isDocument(value)) return documents(value)
    return time.test(value) ? [...times(value), ...texts(value).slice(0, 1)] : texts(value)
  }
  if (type === "INTEGER") return [1n, 2n].map((other) => ({ what: "a number", value: other }))
  return type === "BLOB"
    ? [{ what: "bytes", value: new Uint8Array(32) }]
    : ["x", "2026-05-04T09:30:00.000Z", "2099-12-31T23:59:59.999Z"].map((other) => ({ what: "a text", value: other }))
}

const isSame = (a: SQLInputValue, b: SQLInputValue): boolean =>
  a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.compare(a, b) === 0 : a === b

/** Every way in which a value of a column is altered; `others` are values of other rows. */
export const mutationsOf = (
  value: SQLOutputValue,
  column: Column,
  others: ReadonlyArray<SQLOutputValue>
): ReadonlyArray<Mutation> => {
  const all = [
    ...ofValue(value, column),
    ...others.map((other) => ({ what: "that of another row", value: other })),
    ...(column.isNullable ? [{ what: "nothing", value: null }] : [])
  ].filter((mutation) => !isSame(mutation.value, value))
  return all.filter((one, index) => all.findIndex((other) => isSame(other.value, one.value)) === index)
}
