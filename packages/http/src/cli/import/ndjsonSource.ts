import { isUtf8 } from "node:buffer"
import { parseJson } from "../../parseJson.ts"
import type { Reading } from "./ImportSettings.ts"
import { fields, type RowSource, readValue, type SourceRow } from "./SourceRow.ts"

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** A line of a file, without its end. */
interface Line {
  /** From 1. */
  readonly line: number
  /** Only the beginning if the line is too long. */
  readonly bytes: Buffer
  readonly tooLong: boolean
}

/** The longest line that is read, in bytes. */
export const maxLineBytes = 1_048_576

const keptOfTooLong = 1_000

/** Splits bytes into lines as they arrive. */
class LineReader {
  private rest: Buffer = Buffer.alloc(0)
  private line = 0
  private skipping = false

  /** Returns the lines that end in these bytes. */
  read(chunk: Uint8Array): ReadonlyArray<Line> {
    const bytes = this.rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.rest, chunk])
    const lines: Array<Line> = []
    let start = 0
    for (let feed = bytes.indexOf(lineFeed); feed !== -1; feed = bytes.indexOf(lineFeed, start)) {
      if (this.skipping) this.skipping = false
      else lines.push(this.next(bytes.subarray(start, bytes[feed - 1] === carriageReturn ? feed - 1 : feed)))
      start = feed + 1
    }
    this.rest = bytes.subarray(start)
    if (this.skipping) {
      this.rest = Buffer.alloc(0)
    } else if (this.rest.length > maxLineBytes) {
      lines.push(this.next(this.rest))
      this.rest = Buffer.alloc(0)
      this.skipping = true
    }
    return lines
  }

  /** Returns the last line, if it has no line feed. */
  end(): ReadonlyArray<Line> {
    return this.rest.length === 0 ? [] : [this.next(this.rest)]
  }

  private next(bytes: Buffer): Line {
    this.line++
    return bytes.length > maxLineBytes
      ? { line: this.line, bytes: bytes.subarray(0, keptOfTooLong), tooLong: true }
      : { line: this.line, bytes, tooLong: false }
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const memberOf = (object: Readonly<Record<string, unknown>>, title: string): unknown =>
  Object.hasOwn(object, title) ? object[title] : undefined

const toRow = ({ columns }: Reading, { bytes, line, tooLong }: Line): SourceRow => {
  const row = { line, bytes, isCsv: false }
  const broken = (problem: string): SourceRow => ({ ...row, problem })
  if (tooLong) return broken(`it is longer than ${maxLineBytes} bytes`)
  if (!isUtf8(bytes)) return broken("it is not UTF-8")
  const object = parse(bytes.toString("utf8"))
  if (!isObject(object)) return broken("it is not a JSON object")
  const values = fields.map((field) => [field, readValue(field, memberOf(object, columns[field].title))])
  return { ...row, values: Object.fromEntries(values) }
}

const isBlank = ({ bytes }: Line): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

/** Reads rows of NDJSON: one JSON object on each line that is not empty. */
export const ndjsonSource = (chunks: AsyncIterable<Uint8Array>, reading: Reading): RowSource => {
  const toRows = (lines: ReadonlyArray<Line>) =>
    lines.filter((line) => !isBlank(line)).map((line) => toRow(reading, line))
  async function* rows(): AsyncGenerator<ReadonlyArray<SourceRow>> {
    const reader = new LineReader()
    for await (const chunk of chunks) yield toRows(reader.read(chunk))
    yield toRows(reader.end())
  }
  return { titles: ["row"], delimiter: ",", rows: rows() }
}
