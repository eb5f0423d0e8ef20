/** What one frame of Server-Sent Events contains. */
export interface Frame {
  readonly id: string | undefined
  readonly data: string | undefined
}

/** The longest line that is kept, in characters: another server could send one that never ends. */
const lineLimit = 1024 * 1024

/** Reads Server-Sent Events (HTML Standard, section 9.2) from pieces of text that may begin and end anywhere. */
export class EventStreamParser {
  private rest = ""
  private id: string | undefined
  private data: Array<string> = []

  /** Returns the frames that end in this piece. Throws a RangeError for a line that is too long. */
  read(piece: string): ReadonlyArray<Frame> {
    const frames: Array<Frame> = []
    const text = this.rest + piece
    let start = 0
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const frame = this.readLine(text.slice(start, end).replace(/\r$/, ""))
      if (frame !== undefined) frames.push(frame)
      start = end + 1
    }
    this.rest = text.slice(start)
    if (this.rest.length > lineLimit) throw new RangeError("A line of the stream is too long")
    return frames
  }

  private readLine(line: string): Frame | undefined {
    if (line === "") {
      const { data, id } = this
      this.id = undefined
      this.data = []
      return id === undefined && data.length === 0
        ? undefined
        : { id, data: data.length === 0 ? undefined : data.join("\n") }
    }
    const colon = line.indexOf(":")
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (field === "id") this.id = value
    else if (field === "data") this.data.push(value)
    return undefined
  }
}
