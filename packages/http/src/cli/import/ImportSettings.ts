import type { Columns } from "./columns.ts"
import type { Format } from "./formats.ts"
import { type Field, fields } from "./SourceRow.ts"

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
