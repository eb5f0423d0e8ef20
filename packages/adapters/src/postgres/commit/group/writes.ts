import type { Columns, RowFormat } from "../../../sql/RowFormat.ts"
import type { Value } from "../../../sql/Sql.ts"
import type { Parameter } from "../../connection/PostgresConnection.ts"
import { binaryArray } from "../../statements/binaryArray.ts"
import { inSchema } from "../../statements/dialect.ts"

/** A statement and its values, ready to be sent. */
export interface Prepared {
  readonly text: string
  readonly values: ReadonlyArray<Parameter>
}

/** Writes records of one table by one statement, however many they are. */
export type Write<A> = (records: ReadonlyArray<A>) => Prepared

/** One row costs the server half as much by placeholders as by arrays. */
interface Texts {
  readonly one: string
  readonly many: string
}

const namesOf = (columns: Columns): ReadonlyArray<string> => Object.keys(columns)

/** The rows of arrays that are the parameters of a statement, one for each column. */
const arrays = (columns: Columns): string =>
  `unnest(${Object.values(columns)
    .map((type, index) => `$${index + 1}::${type}[]`)
    .join(", ")})`

const write = <A>(schema: string, { columns, key, values }: RowFormat<A>, texts: Texts): Write<A> => {
  const one = inSchema(schema, texts.one)
  const many = inSchema(schema, texts.many)
  const types = Object.values({ ...key, ...columns })
  return (records) => {
    const [first] = records
    if (records.length === 1 && first !== undefined) return { text: one, values: values(first).map(parameter) }
    const rows = records.map(values)
    return {
      text: many,
      values: types.map((type, place) =>
        binaryArray(
          type,
          rows.map((row) => row[place])
        )
      )
    }
  }
}

const parameter = (value: Value): Parameter => value ?? null

/** Adds records. `end` follows the statement, for rows that exist. */
export const insertion = <A>(schema: string, format: RowFormat<A>, end = ""): Write<A> => {
  const all = { ...format.key, ...format.columns }
  const into = `INSERT INTO ${format.table} (${namesOf(all).join(", ")})`
  const places = namesOf(all).map((_, index) => `$${index + 1}`)
  return write(schema, format, {
    one: `${into} VALUES (${places.join(", ")})${end}`,
    many: `${into} SELECT * FROM ${arrays(all)}${end}`
  })
}

/** Adds records, or replaces those that exist. */
export const replacement = <A>(schema: string, format: RowFormat<A>): Write<A> =>
  insertion(
    schema,
    format,
    ` ON CONFLICT (${namesOf(format.key).join(", ")}) DO UPDATE SET ${namesOf(format.columns)
      .map((name) => `${name} = excluded.${name}`)
      .join(", ")}`
  )

/**
 * Replaces the columns of records that exist. The key is looked for in its array too: the plan of a join that was made while
 * the table was empty may read all of it.
 */
export const update = <A>(schema: string, format: RowFormat<A>): Write<A> => {
  const all = { ...format.key, ...format.columns }
  const places = namesOf(format.key).length + 1
  const assigned = namesOf(format.columns).map((name, index) => `${name} = $${places + index}`)
  const keyed = namesOf(format.key).map((name, index) => `${name} = $${index + 1}`)
  const copied = namesOf(format.columns).map((name) => `${name} = changed.${name}`)
  const joined = namesOf(format.key).map((name) => `stored.${name} = changed.${name}`)
  const wanted = Object.entries(format.key).map(
    ([name, type], index) => `stored.${name} = ANY($${index + 1}::${type}[])`
  )
  return write(schema, format, {
    one: `UPDATE ${format.table} SET ${assigned.join(", ")} WHERE ${keyed.join(" AND ")}`,
    many: `UPDATE ${format.table} AS stored SET ${copied.join(", ")}
      FROM ${arrays(all)} AS changed (${namesOf(all).join(", ")}) WHERE ${[...joined, ...wanted].join(" AND ")}`
  })
}
