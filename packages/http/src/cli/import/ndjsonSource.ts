import { UsageError } from "../errors.ts"
import type { Reading } from "./ImportSettings.ts"
import { isPageOfRows, maxRowBytes, readJsonRow } from "./jsonRow.ts"
import type { RowSource, SourceRow } from "./SourceRow.ts"

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** A line of a file, without its end. */
interface Line {
  /** From 1. */
  readonly line: number
  /** Only the beginning if the line is longer than a row may be. */
  readonly bytes: Buffer
}

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
    } else if (this.rest.length > maxRowBytes) {
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
    return { line: ++this.line, bytes }
  }
}

const isBlank = ({ bytes }: Line): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

const pagesOfRows = new UsageError({
  message:
    "The file has pages of rows, not a row on each line. Import it with --format json, which reads pages behind each other."
})

/** Reads rows of NDJSON: one JSON object on each line that is not empty. */
export const ndjsonSource = (chunks: AsyncIterable<Uint8Array>, reading: Reading): RowSource => {
  const toRows = (lines: ReadonlyArray<Line>) =>
    lines.filter((line) => !isBlank(line)).map(({ bytes, line }) => readJsonRow(reading, line, bytes))
  async function* rows(): AsyncGenerator<ReadonlyArray<SourceRow>> {
    const reader = new LineReader()
    let isFirst = true
    const checked = (parsed: ReadonlyArray<SourceRow>): ReadonlyArray<SourceRow> => {
      const [first] = parsed
      if (isFirst && first !== undefined && isPageOfRows(first)) throw pagesOfRows
      isFirst &&= first === undefined
      return parsed
    }
    for await (const chunk of chunks) yield checked(toRows(reader.read(chunk)))
    yield checked(toRows(reader.end()))
  }
  return { unit: "line", titles: undefined, delimiter: ",", rows: rows() }
}
