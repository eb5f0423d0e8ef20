/** What one frame of Server-Sent Events contains. */
export interface Frame {
  /** The last event ID: that of the frame, or of the last one before it that has one. */
  readonly id: string
  /** Undefined if the frame has only moved the last event ID. */
  readonly data: string | undefined
}

/** The longest line or data that is kept, in characters: another server could send one that never ends. */
const mostCharacters = 1024 * 1024

/**
 * Reads Server-Sent Events (HTML Standard, sections 9.2.5 and 9.2.6) from pieces of bytes that may begin and end anywhere. Of the
 * fields, `event` is ignored: the type of an event stands in its data.
 */
export class EventStreamParser {
  /** The wait before the next connection that the server asks for, in milliseconds. */
  reconnectionTime = 0
  // One that drops byte order marks drops a second one, too, that begins the next piece.
  private readonly decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  private isAtStart = true
  private isAfterReturn = false
  /** The pieces of the line that has not ended. */
  private rest = ""
  private id = ""
  private lastId = ""
  private data: Array<string> = []
  private kept = 0

  /** Returns the frames that end in this piece. Throws a RangeError for a line or data that is too long. */
  read(piece: Uint8Array): ReadonlyArray<Frame> {
    const decoded = this.decoder.decode(piece, { stream: true })
    if (decoded === "") return []
    const text = this.isAtStart && decoded.startsWith("\uFEFF") ? decoded.slice(1) : decoded
    this.isAtStart = false
    // A line feed after a carriage return belongs to the same end of line.
    const start = this.isAfterReturn && text.startsWith("\n") ? 1 : 0
    this.isAfterReturn = text.endsWith("\r")
    const lines = text.slice(start).split(/\r\n|[\r\n]/)
    const unfinished = lines.pop() ?? ""
    const frames: Array<Frame> = []
    for (const line of lines) {
      const frame = this.readLine(this.rest + line)
      this.rest = ""
      if (frame !== undefined) frames.push(frame)
    }
    this.rest += unfinished
    this.checkLength(this.rest.length)
    return frames
  }

  private checkLength(length: number): void {
    if (length > mostCharacters) throw new RangeError("A line or the data of the stream is too long")
  }

  private readLine(line: string): Frame | undefined {
    if (line === "") return this.dispatch()
    const colon = line.indexOf(":")
    // A comment.
    if (colon === 0) return undefined
    const [name, value] = colon === -1 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1)]
    this.readField(name, value.startsWith(" ") ? value.slice(1) : value)
    return undefined
  }

  private readField(name: string, value: string): void {
    if (name === "data") {
      this.kept += value.length + 1
      this.checkLength(this.kept)
      this.data.push(value)
    } else if (name === "id" && !value.includes("\0")) {
      this.id = value
    } else if (name === "retry" && /^[0-9]+$/.test(value)) {
      this.reconnectionTime = Number(value)
    }
  }

  private dispatch(): Frame | undefined {
    const { data, id, lastId } = this
    this.data = []
    this.kept = 0
    this.lastId = id
    if (data.length > 0) return { id, data: data.join("\n") }
    return id === lastId ? undefined : { id, data: undefined }
  }
}
