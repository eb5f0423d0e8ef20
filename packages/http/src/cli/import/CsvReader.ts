import { isUtf8 } from "node:buffer"

export interface CsvRecord {
  /** The line on which it begins, from 1. */
  readonly line: number
  /** Its bytes without the end of the line; of a record that is too long, only the first ones. */
  readonly bytes: Buffer
  /** Empty if the record is malformed. */
  readonly cells: ReadonlyArray<string>
  readonly spansLines: boolean
  /** Why it cannot be read. */
  readonly problem?: string
}

/** The longest record in bytes, and so the most that an open quote makes the reader keep in memory. */
export const maxRecordBytes = 1_048_576

const keptOfTooLong = 1_000

const quote = 0x22
const space = 0x20
const tab = 0x09
const verticalTab = 0x0b
const formFeed = 0x0c
const lineFeed = 0x0a
const carriageReturn = 0x0d
const none = -1

const closingQuote = (bytes: Buffer, from: number): number => {
  let at = bytes.indexOf(quote, from)
  while (at !== none && bytes[at + 1] === quote) at = bytes.indexOf(quote, at + 2)
  return at
}

const isBlank = (text: string): boolean => /^[\s\u0085\u180e\u200b\u2060]$/.test(text)

/** How many bytes the blank at a place has; 0 if there is none. Blanks of Unicode begin with one of these bytes. */
const blankLength = (bytes: Buffer, at: number): number => {
  switch (bytes[at]) {
    case space:
    case tab:
    case verticalTab:
    case formFeed:
      return 1
    case 0xc2:
      return isBlank(bytes.toString("utf8", at, at + 2)) ? 2 : 0
    case 0xe1:
    case 0xe2:
    case 0xe3:
    case 0xef:
      return isBlank(bytes.toString("utf8", at, at + 3)) ? 3 : 0
    default:
      return 0
  }
}

const skipBlanks = (bytes: Buffer, from: number, delimiter: number): number => {
  let at = from
  while (bytes[at] !== delimiter) {
    const length = blankLength(bytes, at)
    if (length === 0) break
    at += length
  }
  return at
}

const endOfPlainField = (bytes: Buffer, from: number, delimiter: number): number => {
  let at = from
  while (at < bytes.length && bytes[at] !== delimiter && bytes[at] !== lineFeed) at++
  return at
}

/** Reads the record at `start`, and where it ends. */
const scanRecord = (
  bytes: Buffer,
  start: number,
  delimiter: number
): { readonly cells: ReadonlyArray<string>; readonly end: number } | "unfinished" | "malformed" => {
  const cells: Array<string> = []
  let at = start
  for (;;) {
    const text = skipBlanks(bytes, at, delimiter)
    if (bytes[text] === quote) {
      const end = closingQuote(bytes, text + 1)
      if (end === none) return "unfinished"
      cells.push(bytes.toString("utf8", text + 1, end).replaceAll('""', '"'))
      at = skipBlanks(bytes, end + 1, delimiter)
      if (bytes[at] === carriageReturn && bytes[at + 1] !== delimiter) at++
    } else {
      const end = endOfPlainField(bytes, at, delimiter)
      const crlf = bytes[end] === lineFeed && end > at && bytes[end - 1] === carriageReturn
      cells.push(bytes.toString("utf8", at, crlf ? end - 1 : end))
      at = end
    }
    switch (bytes[at]) {
      case undefined:
        return "unfinished"
      case lineFeed:
        return { cells, end: at + 1 }
      case delimiter:
        at++
        break
      default:
        return "malformed"
    }
  }
}

const countLines = (bytes: Buffer, start: number, end: number): number => {
  let lines = 0
  for (let at = bytes.indexOf(lineFeed, start); at !== none && at < end; at = bytes.indexOf(lineFeed, at + 1)) lines++
  return lines
}

/** The bytes without a line end behind them. */
const withoutEnd = (bytes: Buffer): Buffer => {
  const length = bytes.at(-1) === lineFeed ? bytes.length - 1 : bytes.length
  return bytes.subarray(0, bytes[length - 1] === carriageReturn ? length - 1 : length)
}

/** The length of an empty line at `at`; 0 if the line is not empty. */
const emptyLine = (bytes: Buffer, at: number): number => {
  if (bytes[at] === lineFeed) return 1
  return bytes[at] === carriageReturn && bytes[at + 1] === lineFeed ? 2 : 0
}

/**
 * Reads CSV (RFC 4180) from bytes as they arrive: separated by a character, with LF or CRLF, and with quoted fields, which may span
 * lines and have blanks around them. Empty lines are skipped. A record that cannot be read ends with the line on which it begins, so that the next
 * line is read as a new record: `csv-parse` and `papaparse` lose the rest of the file there.
 */
export class CsvReader {
  private readonly delimiter: number
  private rest: Buffer = Buffer.alloc(0)
  private line = 1
  /** Whether the rest of a line is skipped because it is too long. */
  private skipping = false

  /** @param delimiter One ASCII character. */
  constructor(delimiter = ",") {
    this.delimiter = delimiter.charCodeAt(0)
  }

  /** Returns the records that end in these bytes. */
  read(chunk: Uint8Array): ReadonlyArray<CsvRecord> {
    return this.records(this.rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.rest, chunk]), false)
  }

  /** Returns the records that end with the file. */
  end(): ReadonlyArray<CsvRecord> {
    if (this.rest.length === 0) return []
    const ended = this.rest.at(-1) === lineFeed
    return this.records(ended ? this.rest : Buffer.concat([this.rest, Buffer.of(lineFeed)]), true)
  }

  private records(bytes: Buffer, last: boolean): ReadonlyArray<CsvRecord> {
    const records: Array<CsvRecord> = []
    let start = this.skipping ? this.skipLine(bytes) : 0
    while (start < bytes.length) {
      const empty = emptyLine(bytes, start)
      const end = empty > 0 ? start + empty : this.readOne(bytes, start, last, records)
      if (end === none) break
      this.line += countLines(bytes, start, end)
      start = end
    }
    this.rest = bytes.subarray(start)
    return records
  }

  /** Adds the record at `start`. Returns where it ends; -1 if more bytes are needed. */
  private readOne(bytes: Buffer, start: number, last: boolean, records: Array<CsvRecord>): number {
    const scan = scanRecord(bytes, start, this.delimiter)
    if (typeof scan === "object") {
      const own = withoutEnd(bytes.subarray(start, scan.end))
      const problem = isUtf8(own) ? {} : { problem: "it is not UTF-8" }
      records.push({ line: this.line, bytes: own, cells: scan.cells, spansLines: own.includes(lineFeed), ...problem })
      return scan.end
    }
    const tooLong = bytes.length - start > maxRecordBytes
    if (scan === "unfinished" && !last && !tooLong) return none
    const feed = bytes.indexOf(lineFeed, start)
    if (feed === none && !tooLong) return none
    this.skipping = feed === none
    const problem =
      scan === "malformed"
        ? "text follows a closing quote"
        : last
          ? "a quote is not closed"
          : `it is longer than ${maxRecordBytes} bytes, or a quote is not closed`
    // A copy, so that the rest need not stay in memory.
    const own = Buffer.from(bytes.subarray(start, feed === none ? start + keptOfTooLong : feed))
    records.push({ line: this.line, bytes: withoutEnd(own), cells: [], spansLines: false, problem })
    return feed === none ? bytes.length : feed + 1
  }

  private skipLine(bytes: Buffer): number {
    const feed = bytes.indexOf(lineFeed)
    if (feed === none) return bytes.length
    this.skipping = false
    this.line++
    return feed + 1
  }
}
