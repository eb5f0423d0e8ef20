import { isUtf8 } from "node:buffer"
import { parseJson } from "../../parseJson.ts"
import type { Columns } from "./ImportSettings.ts"
import { type Line, LineReader, maxLineBytes } from "./LineReader.ts"
import { fields, type RowSource, type SourceRow } from "./SourceRow.ts"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** A field that is null counts as absent. */
const fieldOf = (object: Readonly<Record<string, unknown>>, title: string): unknown =>
  Object.hasOwn(object, title) ? (object[title] ?? undefined) : undefined

const toRow = (columns: Columns, { bytes, line, tooLong }: Line): SourceRow => {
  const text = bytes.toString("utf8").trim()
  const broken = (problem: string): SourceRow => ({ line, original: [text], problem })
  if (tooLong) return broken(`it is longer than ${maxLineBytes} bytes`)
  if (!isUtf8(bytes)) return broken("it is not UTF-8")
  const object = parse(text)
  if (!isObject(object)) return broken("it is not a JSON object")
  const values = Object.fromEntries(fields.map((field) => [field, fieldOf(object, columns[field].title)]))
  return { line, original: [text], values }
}

const isBlank = ({ bytes }: Line): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

/** Reads rows of NDJSON: one JSON object on each line that is not empty. */
export const ndjsonSource = (chunks: AsyncIterable<Uint8Array>, columns: Columns): RowSource => {
  const toRows = (lines: ReadonlyArray<Line>) =>
    lines.filter((line) => !isBlank(line)).map((line) => toRow(columns, line))
  async function* rows(): AsyncGenerator<ReadonlyArray<SourceRow>> {
    const reader = new LineReader()
    for await (const chunk of chunks) yield toRows(reader.read(chunk))
    yield toRows(reader.end())
  }
  return { titles: ["row"], rows: rows() }
}
