import { UsageError } from "../errors.ts"
import { CsvReader, type CsvRecord } from "./CsvReader.ts"
import type { Columns, Reading } from "./ImportSettings.ts"
import { type Field, fields, type RowSource, readValue, type SourceRow } from "./SourceRow.ts"

/** Fields that a file must have. */
const required: ReadonlySet<Field> = new Set(["name", "category"])

const shownColumns = 20

/** Characters that other files have between two cells. */
const otherDelimiters = [";", "\t", "|", ","]

/** What to do about a column that is missing. */
const remedy = (titles: ReadonlyArray<string>, field: Field): string => {
  const other = titles.length > 1 ? undefined : otherDelimiters.find((one) => titles[0]?.includes(one))
  return other === undefined
    ? `name the column with --column ${field}=COLUMN`
    : `add --delimiter ${other === "\t" ? "tab" : JSON.stringify(other)} if that is what separates its columns`
}

const list = (columns: ReadonlyArray<string>): string =>
  columns.length === 0
    ? "none"
    : columns
        .slice(0, shownColumns)
        .map((column) => JSON.stringify(column.slice(0, 40)))
        .join(", ")

/** The index of each field in a record. */
const locate = (titles: ReadonlyArray<string>, columns: Columns): ReadonlyArray<readonly [Field, number]> =>
  fields.flatMap((field) => {
    const { named, title } = columns[field]
    const index = titles.indexOf(title)
    if (index !== titles.lastIndexOf(title)) {
      throw new UsageError({ message: `Two columns are named ${JSON.stringify(title)}` })
    }
    if (index >= 0) return [[field, index] as const]
    if (!named && !required.has(field)) return []
    throw new UsageError({
      message: `The file has no column ${JSON.stringify(title)} for the ${field}, only ${list(titles)}; ${remedy(titles, field)}`
    })
  })

const isBlank = (cell: string): boolean => cell.trim() === ""

const toRow = (
  titles: ReadonlyArray<string>,
  places: ReadonlyArray<readonly [Field, number]>,
  { bytes, cells, line, problem, spansLines }: CsvRecord
): SourceRow => {
  const row = { line, bytes, isCsv: cells.length > 0, spansLines }
  if (problem !== undefined) return { ...row, problem }
  if (cells.every(isBlank)) return { ...row, isBlank: true, values: {} }
  if (cells.length !== titles.length) {
    return {
      ...row,
      problem: `it has ${cells.length} ${cells.length === 1 ? "field" : "fields"}, not ${titles.length}`
    }
  }
  return { ...row, values: Object.fromEntries(places.map(([field, at]) => [field, readValue(field, cells[at])])) }
}

async function* recordsOf(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string
): AsyncGenerator<ReadonlyArray<CsvRecord>, undefined> {
  const reader = new CsvReader(delimiter)
  for await (const chunk of chunks) yield reader.read(chunk)
  yield reader.end()
}

/** Reads rows of CSV, whose first line names the columns. Rejects with a {@link UsageError} if columns are missing. */
export const csvSource = async (chunks: AsyncIterable<Uint8Array>, reading: Reading): Promise<RowSource> => {
  const { columns, delimiter } = reading
  const portions = recordsOf(chunks, delimiter)
  let portion = await portions.next()
  while (portion.value !== undefined && portion.value.length === 0) portion = await portions.next()
  const [header, ...first] = portion.value ?? []
  if (header === undefined) throw new UsageError({ message: "The file is empty; its first line must name the columns" })
  if (header.problem !== undefined) {
    throw new UsageError({
      message: `Line ${header.line}, which must name the columns, cannot be read: ${header.problem}`
    })
  }
  if (header.cells.some((cell) => cell.includes("\r"))) {
    throw new UsageError({ message: "The lines end with a carriage return alone; replace each with a line feed" })
  }
  const titles = header.cells.map((cell) => cell.trim())
  const places = locate(titles, columns)
  async function* rows(): AsyncGenerator<ReadonlyArray<SourceRow>> {
    yield first.map((record) => toRow(titles, places, record))
    for await (const records of portions) yield records.map((record) => toRow(titles, places, record))
  }
  return { unit: "line", titles, delimiter, rows: rows() }
}
