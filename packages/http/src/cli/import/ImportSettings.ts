import { extname } from "node:path"
import { UsageError } from "../errors.ts"
import { type Field, fields } from "./SourceRow.ts"

export const formats = ["csv", "ndjson"] as const
export type Format = (typeof formats)[number]

const extensions: Readonly<Record<string, Format>> = { ".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson" }

/** The format by the extension of a file name; undefined if it is unknown. */
export const formatOf = (file: string): Format | undefined => extensions[extname(file).toLowerCase()]

/** The column of each field. `named`: whether a flag names it. */
export type Columns = Readonly<Record<Field, { readonly title: string; readonly named: boolean }>>

const isField = (text: string): text is Field => (fields as ReadonlyArray<string>).includes(text)

/** Reads flags such as `name=animal_name`; other fields have the column of their own name. Throws a {@link UsageError}. */
export const parseColumns = (texts: ReadonlyArray<string>): Columns => {
  const named = new Map<Field, string>()
  for (const text of texts) {
    const [, field = "", title = ""] = /^([^=]*)=(.+)$/s.exec(text) ?? []
    if (!isField(field)) {
      throw new UsageError({
        message: `--column takes FIELD=COLUMN with a FIELD of ${fields.join(", ")}, not ${JSON.stringify(text)}`
      })
    }
    if (named.has(field)) throw new UsageError({ message: `--column names ${field} twice` })
    named.set(field, title)
  }
  const column = (field: Field) => ({ title: named.get(field) ?? field, named: named.has(field) })
  return { name: column("name"), category: column("category"), status: column("status"), quantity: column("quantity") }
}

/** How a file is read: imports of the same file with other settings would create other pets. */
export interface ImportSettings {
  readonly format: Format
  /** The column of each field. */
  readonly columns: Readonly<Record<Field, string>>
}

export const settingsOf = (format: Format, columns: Columns): ImportSettings => ({
  format,
  columns: {
    name: columns.name.title,
    category: columns.category.title,
    status: columns.status.title,
    quantity: columns.quantity.title
  }
})

/** The flags that give these settings. */
export const flagsOf = ({ columns, format }: ImportSettings): string =>
  [
    `--format ${format}`,
    ...fields
      .filter((field) => columns[field] !== field)
      .map((field) => `--column ${JSON.stringify(`${field}=${columns[field]}`)}`)
  ].join(" ")
