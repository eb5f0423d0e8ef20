import { extname } from "node:path"
import { PetName, PetStatus, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import { UsageError } from "../errors.ts"
import { type Field, fields } from "./SourceRow.ts"

export const formats = ["csv", "ndjson", "json"] as const
export type Format = (typeof formats)[number]

/** The flags that name a format. */
export const formatFlags = formats.map((format) => `--format ${format}`).join(", ")

const extensions: Readonly<Record<string, Format>> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json"
}

/** The format by the extension of a file name; undefined if it is unknown. */
export const formatOf = (file: string): Format | undefined => extensions[extname(file).toLowerCase()]

/** The column of each field. `named`: whether a flag asks for it. */
export type Columns = Readonly<Record<Field, { readonly title: string; readonly named: boolean }>>

/** How the rows of a file are read. */
export interface Reading {
  readonly columns: Columns
  /** The character between two cells of CSV. */
  readonly delimiter: string
  /** The status that each text stands for. */
  readonly statuses: ReadonlyMap<string, PetStatus>
  /** The name of pets without one. */
  readonly defaultName: string | undefined
}

/** The flags that say how the rows are read. */
export interface ReadingFlags {
  readonly columns?: ReadonlyArray<string>
  readonly delimiter?: string | undefined
  readonly statuses?: ReadonlyArray<string>
  readonly defaultName?: string | undefined
}

/** The two sides of a flag such as `name=animal_name`, split at an equals sign. */
const split = (text: string, at: number): readonly [string, string] =>
  at === -1 ? ["", ""] : [text.slice(0, at), text.slice(at + 1)]

/** Maps the keys of repeatable flags to their values. Throws a {@link UsageError} if one is not of this form, or two have one key. */
const parsePairs = <K extends string, V>(
  flag: string,
  form: string,
  texts: ReadonlyArray<string>,
  read: (text: string) => readonly [K, V] | undefined
): ReadonlyMap<K, V> => {
  const pairs = new Map<K, V>()
  for (const text of texts) {
    const pair = read(text)
    if (pair === undefined) throw new UsageError({ message: `${flag} takes ${form}, not ${JSON.stringify(text)}` })
    if (pairs.has(pair[0])) throw new UsageError({ message: `${flag} names ${pair[0]} twice` })
    pairs.set(...pair)
  }
  return pairs
}

/** Reads flags such as `name=animal_name`; other fields have the column of their own name. */
const parseColumns = (texts: ReadonlyArray<string>, mapsStatus: boolean): Columns => {
  const form = `FIELD=COLUMN with a FIELD of ${fields.join(", ")}`
  const named = parsePairs("--column", form, texts, (text) => {
    const [key, title] = split(text, text.indexOf("="))
    const field = fields.find((one) => one === key)
    return field === undefined || title === "" ? undefined : [field, title]
  })
  const column = (field: Field) => ({ title: named.get(field) ?? field, named: named.has(field) })
  const status = column("status")
  return {
    name: column("name"),
    category: column("category"),
    status: { ...status, named: status.named || mapsStatus },
    quantity: column("quantity")
  }
}

/** Reads flags such as `Adopted=sold`. */
const parseStatuses = (texts: ReadonlyArray<string>): ReadonlyMap<string, PetStatus> =>
  parsePairs("--map-status", `TEXT=STATUS with a STATUS of ${PetStatus.literals.join(", ")}`, texts, (text) => {
    const [from, to] = split(text, text.lastIndexOf("="))
    const status = PetStatus.literals.find((one) => one === to)
    return status === undefined ? undefined : [from.trim(), status]
  })

const parseDelimiter = (text: string): string => {
  if (text === "tab" || text === "\\t") return "\t"
  if (/^[\t -~]$/.test(text) && !/[\w"]/.test(text)) return text
  throw new UsageError({
    message: `--delimiter takes one ASCII character that is no letter, digit or quote, or tab, not ${JSON.stringify(text)}`
  })
}

const validateName = validator(PetName)

const parseName = (text: string): string =>
  Result.getOrElse(validateName("/body", text), ([violation]) => {
    throw new UsageError({ message: `--default-name: ${violation?.message}` })
  })

/** Reads the flags. Throws a {@link UsageError}. */
export const parseReading = (flags: ReadingFlags, format: Format = "csv"): Reading => {
  if (flags.delimiter !== undefined && format !== "csv") {
    throw new UsageError({ message: `--delimiter is for CSV, not for --format ${format}` })
  }
  const statuses = parseStatuses(flags.statuses ?? [])
  return {
    columns: parseColumns(flags.columns ?? [], statuses.size > 0),
    delimiter: flags.delimiter === undefined ? "," : parseDelimiter(flags.delimiter),
    statuses,
    defaultName: flags.defaultName === undefined ? undefined : parseName(flags.defaultName)
  }
}

/** How a file is read: imports of the same file with other settings would create other pets. */
export interface ImportSettings {
  readonly format: Format
  readonly columns: Readonly<Record<Field, string>>
  /** Absent for a comma. */
  readonly delimiter?: string
  /** Each as in its flag, in ascending order. Absent if there are none. */
  readonly statuses?: ReadonlyArray<string>
  readonly defaultName?: string
  /** Absent for the first line. */
  readonly fromLine?: number
}

export const settingsOf = (
  format: Format,
  { columns, defaultName, delimiter, statuses }: Reading,
  fromLine: number
): ImportSettings => ({
  format,
  columns: {
    name: columns.name.title,
    category: columns.category.title,
    status: columns.status.title,
    quantity: columns.quantity.title
  },
  ...(delimiter === "," ? {} : { delimiter }),
  ...(statuses.size === 0 ? {} : { statuses: Array.from(statuses, (pair) => pair.join("=")).sort() }),
  ...(defaultName === undefined ? {} : { defaultName }),
  ...(fromLine === 1 ? {} : { fromLine })
})

/** The flags that give these settings. */
export const flagsOf = ({ columns, defaultName, delimiter, format, fromLine, statuses = [] }: ImportSettings): string =>
  [
    `--format ${format}`,
    ...fields
      .filter((field) => columns[field] !== field)
      .map((field) => `--column ${JSON.stringify(`${field}=${columns[field]}`)}`),
    ...(delimiter === undefined ? [] : [`--delimiter ${delimiter === "\t" ? "tab" : JSON.stringify(delimiter)}`]),
    ...statuses.map((text) => `--map-status ${JSON.stringify(text)}`),
    ...(defaultName === undefined ? [] : [`--default-name ${JSON.stringify(defaultName)}`]),
    ...(fromLine === undefined ? [] : [`--from-line ${fromLine}`])
  ].join(" ")
