/**
 * Functions of rows, made once from the columns of a table. V8 reads a field that is named in the text of a program in a tenth of
 * the time that it takes for a name in a variable, so they are made of text. If code may not be made of text, for example
 * under a content security policy, the loops over columns do the same.
 */

import type { Column, Stored, Table } from "@petstore/core/kernel"
import type { RowKey } from "./tableText.ts"
import type { Value } from "./Value.ts"

type Columns<Row> = Readonly<Record<string, Column<Row>>>

/** Makes a function of text that contains only what descriptions in this program say, never anything from outside. */
export const compiled = <F>(text: string, parts: Readonly<Record<string, unknown>>, otherwise: F): F => {
  try {
    return new Function(...Object.keys(parts), text)(...Object.values(parts)) as F
  } catch {
    return otherwise
  }
}

/** A name as a property in the text of a program. */
export const property = (name: string): string => `[${JSON.stringify(name)}]`

const isOptional = (step = ""): boolean => step.endsWith("?")

const nameOf = (step: string): string => (isOptional(step) ? step.slice(0, -1) : step)

const parsed = (value: unknown): unknown => JSON.parse(String(value))

interface Leaf {
  readonly steps: ReadonlyArray<string>
  readonly name: string
  readonly column: Pick<Column<never>, "isJson" | "type">
}

const convertedText = ({ isJson, type }: Leaf["column"]): string =>
  isJson === true ? "parsed(value)" : type === "boolean" ? "Boolean(value)" : "value"

/** The statements that make a part of a row, as a table's own decoder does: an optional part is absent if one of its values is. */
const partText = (variable: string, leaves: ReadonlyArray<Leaf>, isPartOptional: boolean): string => {
  const texts = [...Map.groupBy(leaves, ({ steps: [step = ""] }) => nameOf(step))].map(
    ([name, [first, ...rest]], place) => {
      if (first === undefined) return ""
      const [step, ...inner] = first.steps
      if (inner.length > 0) {
        const part = `${variable}_${place}`
        const text = partText(
          part,
          [first, ...rest].map((leaf) => ({ ...leaf, steps: leaf.steps.slice(1) })),
          isOptional(step)
        )
        return `${text} if (${part} !== undefined) ${variable}${property(name)} = ${part};`
      }
      const assigned = `${variable}${property(name)} = ${convertedText(first.column)};`
      const absent = isPartOptional
        ? `{ ${variable} = undefined; break ${variable}_end }`
        : `${variable}${property(name)} = null;`
      return `value = stored${property(first.name)}; if (value !== null) ${assigned}${isOptional(step) ? "" : ` else ${absent}`}`
    }
  )
  return `let ${variable} = {}; ${variable}_end: { ${texts.join(" ")} }`
}

/** Makes rows of a table, or of a view of it, of what a database returns. */
export const decoderOf = <Row, Key extends RowKey>({ columns, decode }: Table<Row, Key>): ((stored: Stored) => Row) => {
  const leaves = Object.entries(columns).flatMap(
    ([name, column]): ReadonlyArray<Leaf> => (column.path === undefined ? [] : [{ steps: column.path, name, column }])
  )
  return compiled(`return (stored) => { let value; ${partText("row", leaves, false)} return row }`, { parsed }, decode)
}

/** The value of a column in the text of a program, as SQLite takes it. `reads` takes the reader of a column that is no field. */
const valueText = <Row>(column: Column<Row>, row: string, reads: Array<Column<Row>["read"]>): string => {
  if (column.path === undefined || column.isJson === true) return `reads[${reads.push(column.read) - 1}](${row})`
  return `${row}${column.path.map((step) => property(nameOf(step))).join("?.")}`
}

const boundText = (value: string, { type }: Pick<Column<never>, "type">): string =>
  type === "boolean" ? `((value = ${value}) == null ? null : +value)` : `(${value} ?? null)`

/** Reads the values of rows, as SQLite takes them. */
export const valuesReader = <Row>(columns: Columns<Row>): ((row: Row) => Array<Value>) => {
  const reads: Array<Column<Row>["read"]> = []
  const texts = Object.values(columns).map((column) => boundText(valueText(column, "row", reads), column))
  const all = Object.values(columns).map(({ read }) => read)
  return compiled(`return (row) => { let value; return [${texts.join(", ")}] }`, { reads }, (row: Row) =>
    all.map((read) => read(row))
  )
}

/** Compares two states of a row. Returns the sum of 1 if they differ in the first column, 2 in the second, 4 in the third and so on. */
export const differenceReader = <Row>(columns: Columns<Row>): ((before: Row, row: Row) => number) => {
  const reads: Array<Column<Row>["read"]> = []
  const all = Object.values(columns)
  const texts = all.map(
    (column, place) =>
      `(${valueText(column, "before", reads)} === ${valueText(column, "row", reads)} ? 0 : ${2 ** place})`
  )
  return compiled(`return (before, row) => ${texts.join(" + ")}`, { reads }, (before: Row, row: Row) =>
    all.reduce((sum, { read }, place) => (read(before) === read(row) ? sum : sum + 2 ** place), 0)
  )
}

/** The columns of a sum of {@link differenceReader}. Numbers are exact for up to 53 columns. */
export const columnsOfSum = <Row>(columns: Columns<Row>, sum: number): Columns<Row> =>
  Object.fromEntries(Object.entries(columns).filter((_, place) => Math.floor(sum / 2 ** place) % 2 === 1))
