import { type Field, fields } from "./SourceRow.ts"

/** Which column of a file holds which field. */
export type Columns = Readonly<Record<Field, { readonly title: string; readonly named: boolean }>>

const isField = (text: string): text is Field => (fields as ReadonlyArray<string>).includes(text)

/** Reads texts such as `name=animal_name`; a field that nobody names stands in the column of its own name. Answers what is wrong as a text. */
export const parseColumns = (texts: ReadonlyArray<string>): Columns | string => {
  const named = new Map<Field, string>()
  for (const text of texts) {
    const [, field = "", title = ""] = /^([^=]*)=(.+)$/s.exec(text) ?? []
    if (!isField(field))
      return `--column takes FIELD=COLUMN with a field out of ${fields.join(", ")}, not ${JSON.stringify(text)}`
    if (named.has(field)) return `--column names ${field} twice`
    named.set(field, title)
  }
  const column = (field: Field) => ({ title: named.get(field) ?? field, named: named.has(field) })
  return { name: column("name"), category: column("category"), status: column("status"), quantity: column("quantity") }
}
