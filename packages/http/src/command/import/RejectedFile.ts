import { closeSync, openSync, realpathSync, rmSync, writeSync } from "node:fs"
import { basename } from "node:path"
import { UsageError } from "../CommandError.ts"
import type { SourceRow } from "./SourceRow.ts"

const cell = (text: string): string => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const toLine = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(",")}\n`

const realPath = (file: string): string | undefined => {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

/** Removes what an earlier run left there, and so finds out whether this one can write there; undefined where it cannot. */
const claim = (file: string): string | undefined => {
  try {
    closeSync(openSync(file, "w"))
    rmSync(file)
    return file
  } catch {
    return undefined
  }
}

/** Where the report on rejected rows goes: to the file asked for, else beside the input, else into the current folder. */
export const rejectedPath = (input: string, asked: string | undefined): string => {
  if (asked !== undefined && realPath(asked) !== undefined && realPath(asked) === realPath(input)) {
    throw new UsageError({ message: "--rejected names the input file itself" })
  }
  const beside = `${input}.rejected.csv`
  const candidates = asked === undefined ? [beside, basename(beside)] : [asked]
  for (const candidate of candidates) {
    const path = claim(candidate)
    if (path !== undefined) return path
  }
  throw new UsageError({
    message: `${JSON.stringify(candidates.at(-1))} cannot be written; name another file with --rejected FILE`
  })
}

/** The report on rejected rows: CSV with the line, the reason and the row itself. It is made with its first row. */
export class RejectedFile {
  private readonly path: string
  private readonly titles: ReadonlyArray<string>
  private descriptor: number | undefined

  constructor(path: string, titles: ReadonlyArray<string>) {
    this.path = path
    this.titles = titles
  }

  add(row: SourceRow, reason: string): void {
    if (this.descriptor === undefined) {
      this.descriptor = openSync(this.path, "w")
      writeSync(this.descriptor, toLine(["line", "reason", ...this.titles]))
    }
    writeSync(this.descriptor, toLine([String(row.line), reason, ...row.original]))
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor)
    this.descriptor = undefined
  }
}
