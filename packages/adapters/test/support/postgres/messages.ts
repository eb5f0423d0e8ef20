/** A message of PostgreSQL's protocol. */
export interface Message {
  readonly type: string
  /** Without the type and the length. */
  readonly body: Buffer
  readonly bytes: Buffer
}

const longest = 2 ** 27

/** Splits a stream of one direction into messages, whatever the borders of its chunks. */
export class Messages {
  private rest = Buffer.alloc(0)
  /** The first message of a client has no type. */
  private isFirst: boolean
  /** The rest of the stream is something else, for example TLS. */
  private isOver = false

  constructor(startsWithoutType: boolean) {
    this.isFirst = startsWithoutType
  }

  read(chunk: Buffer): ReadonlyArray<Message> {
    const messages: Array<Message> = []
    this.rest = this.isOver ? Buffer.alloc(0) : Buffer.concat([this.rest, chunk])
    while (true) {
      const header = this.isFirst ? 0 : 1
      if (this.rest.length < header + 4) return messages
      const length = this.rest.readInt32BE(header)
      this.isOver = length < 4 || length > longest
      const end = header + length
      if (this.isOver || this.rest.length < end) return messages
      const type = header === 0 ? "" : String.fromCharCode(this.rest[0] ?? 0)
      messages.push({ type, body: this.rest.subarray(header + 4, end), bytes: this.rest.subarray(0, end) })
      this.rest = this.rest.subarray(end)
      this.isFirst = false
    }
  }
}

const stringsOf = (body: Buffer): ReadonlyArray<string> => body.toString("latin1").split("\0")

/** The texts of the statements that a client runs, named ones too. */
export class StatementsOfClient {
  private readonly named = new Map<string, string>()

  read(messages: ReadonlyArray<Message>): ReadonlyArray<string> {
    return messages.flatMap(({ body, type }) => {
      const [first = "", second = ""] = stringsOf(body)
      if (type === "Q") return [first]
      if (type === "P") this.named.set(first, second)
      // Bind: the portal, then the name of the statement.
      return type === "B" ? [this.named.get(second) ?? ""] : []
    })
  }
}

/** The tags of the statements that a server has done, such as `COMMIT`. */
export const tagsOfServer = (messages: ReadonlyArray<Message>): ReadonlyArray<string> =>
  messages.flatMap(({ body, type }) => (type === "C" ? [stringsOf(body)[0] ?? ""] : []))
