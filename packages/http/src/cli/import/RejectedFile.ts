import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  writeSync
} from "node:fs"
import { basename } from "node:path"
import { UsageError } from "../errors.ts"
import { standardInput } from "./InputFile.ts"
import type { RowSource, SourceRow } from "./SourceRow.ts"

const lineOf = '"rejected line":'
const reasonOf = '"rejected because":'
/** What an earlier import has written before the members of an object. */
const earlier = /^\{"rejected line":\d+,"rejected because":"(?:[^"\\]|\\.)*"(?:,|(?=\}))/

/** An object of NDJSON with the line and the reason before its members, so that it can be corrected and imported. */
const objectOf = ({ bytes, line }: SourceRow, reason: string): Buffer => {
  // Line ends are blanks in JSON. Each byte is the character of its number, so that it is written as it was read.
  const text = bytes
    .toString("latin1")
    .replace(/[\r\n]+/g, " ")
    .replace(earlier, "{")
  const beginning = Buffer.from(`{${lineOf}${line},${reasonOf}${JSON.stringify(reason)}`)
  const members = text.startsWith("{") ? text.slice(1) : `"row":${JSON.stringify(text)}}`
  return Buffer.concat([beginning, Buffer.from(`${/^\s*\}/.test(members) ? "" : ","}${members}\n`, "latin1")])
}

/** A cell of CSV. */
export const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** A row as cells, each byte as the character of its number, so that it is written as it was read. */
const cellsOf = ({ bytes, isCsv }: SourceRow): string => {
  const text = bytes.toString("latin1")
  return isCsv ? text : quoted(text)
}

const realPath = (file: string): string | undefined => {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

/** The permissions of the file, which contains rows of the input. */
const ownerOnly = 0o600

// A pipe that nobody reads would make the process wait.
const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK

/** Whether a file can be written, without changing it. */
const isWritable = (file: string): boolean => {
  const wasThere = existsSync(file)
  try {
    closeSync(openSync(file, appending, ownerOnly))
    if (!wasThere) rmSync(file)
    return true
  } catch {
    return false
  }
}

/** Chooses the file for rejected rows: the one of the flag, else beside the input, else in the current directory. */
export const rejectedPath = (input: string, asked: string | undefined, extension: "csv" | "ndjson"): string => {
  if (asked !== undefined && realPath(asked) !== undefined && realPath(asked) === realPath(input)) {
    throw new UsageError({ message: "--rejected names the input file itself" })
  }
  const beside = `${input === standardInput ? "stdin" : input}.rejected.${extension}`
  const candidates = asked === undefined ? [beside, basename(beside)] : [asked]
  const path = candidates.find(isWritable)
  if (path !== undefined) return path
  throw new UsageError({
    message: `${JSON.stringify(candidates.at(-1))} cannot be written; name another file with --rejected FILE`
  })
}

const isFile = (stats: Stats | undefined): stats is Stats => stats?.isFile() === true

type Columnar = Pick<RowSource, "unit" | "titles" | "delimiter">

/**
 * The file of rejected rows: CSV, or NDJSON of rows of JSON, with the line, the reason and the row itself. It replaces the file of an earlier run, and two
 * processes never write to the same file.
 */
export class RejectedFile {
  private readonly path: string
  private readonly source: Columnar
  private readonly descriptor: number
  private rows = 0

  constructor(path: string, source: Columnar) {
    this.path = path
    this.source = source
    if (isFile(statSync(path, { throwIfNoEntry: false }))) rmSync(path)
    this.descriptor = openSync(path, "a", ownerOnly)
  }

  add(row: SourceRow, reason: string): void {
    const { titles, unit } = this.source
    if (titles === undefined) {
      this.rows++
      writeSync(this.descriptor, objectOf(row, reason))
      return
    }
    if (this.rows++ === 0) writeSync(this.descriptor, `${this.line([unit, "reason", ...titles])}\n`)
    const beginning = this.line([String(row.line), reason, ""])
    writeSync(this.descriptor, Buffer.concat([Buffer.from(beginning), Buffer.from(`${cellsOf(row)}\n`, "latin1")]))
  }

  private line(cells: ReadonlyArray<string>): string {
    const { delimiter } = this.source
    const cell = (text: string) => (text.includes(delimiter) || /[",\r\n]|^\s|\s$/.test(text) ? quoted(text) : text)
    return cells.map(cell).join(delimiter)
  }

  /** Makes the added rows durable. */
  sync(): void {
    if (isFile(fstatSync(this.descriptor))) fsyncSync(this.descriptor)
  }

  /** Closes the file, and removes it if it has no rows. */
  close(): void {
    const own = fstatSync(this.descriptor)
    const there = statSync(this.path, { throwIfNoEntry: false })
    closeSync(this.descriptor)
    if (this.rows === 0 && isFile(there) && there.ino === own.ino) rmSync(this.path)
  }
}
