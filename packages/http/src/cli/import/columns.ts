import { type Field, fields } from "./SourceRow.ts"

/** The column of each field. `named`: whether a flag names it. */
export type Columns = Readonly<Record<Field, { readonly title: string; readonly named: boolean }>>

const isField = (text: string): text is Field => (fields as ReadonlyArray<string>).includes(text)

/** Reads flags such as `name=animal_name`; other fields have the column of their own name. Returns an error message as a string. */
export const parseColumns = (texts: ReadonlyArray<string>): Columns | string => {
  const named = new Map<Field, string>()
  for (const text of texts) {
    const [, field = "", title = ""] = /^([^=]*)=(.+)$/s.exec(text) ?? []
    if (!isField(field))
      return `--column takes FIELD=COLUMN with a FIELD of ${fields.join(", ")}, not ${JSON.stringify(text)}`
    if (named.has(field)) return `--column names ${field} twice`
    named.set(field, title)
  }
  const column = (field: Field) => ({ title: named.get(field) ?? field, named: named.has(field) })
  return { name: column("name"), category: column("category"), status: column("status"), quantity: column("quantity") }
}
