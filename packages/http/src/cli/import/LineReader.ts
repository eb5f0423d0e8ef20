const lineFeed = 0x0a

/** A line of a file, without its end. */
export interface Line {
  /** From 1. */
  readonly line: number
  /** Only the beginning if the line is too long. */
  readonly bytes: Buffer
  readonly tooLong: boolean
}

/** The longest line that is read, in bytes. */
export const maxLineBytes = 1_048_576

const shownOfTooLong = 1_000

/** Splits bytes into lines as they arrive. */
export class LineReader {
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
      else lines.push(this.next(bytes.subarray(start, feed)))
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
      ? { line: this.line, bytes: bytes.subarray(0, shownOfTooLong), tooLong: true }
      : { line: this.line, bytes, tooLong: false }
  }
}
