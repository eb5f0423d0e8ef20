import { connect, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A response as it was sent. */
export interface RawReply {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: unknown
}

const parse = (received: string): { readonly reply: RawReply; readonly rest: string } | undefined => {
  const end = received.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const [statusLine = "", ...lines] = received.slice(0, end).split("\r\n")
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])
  )
  const length = Number(headers["content-length"] ?? 0)
  const content = Buffer.from(received.slice(end + 4), "latin1")
  if (content.length < length) return undefined
  const text = content.subarray(0, length).toString("utf8")
  return {
    reply: {
      status: Number(statusLine.split(" ")[1]),
      headers,
      text,
      body: text === "" ? undefined : JSON.parse(text)
    },
    rest: content.subarray(length).toString("latin1")
  }
}

/** A connection on which a test writes any bytes. */
export class RawConnection {
  private readonly socket: Socket
  private received = ""
  private closed = false
  private onChange = (): void => {}

  constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding("latin1")
    socket.on("data", (text: string) => {
      this.received += text
      this.onChange()
    })
    const closed = () => {
      this.closed = true
      this.onChange()
    }
    socket.on("error", () => {})
    socket.on("end", () => {
      closed()
      socket.end()
    })
    socket.on("close", closed)
  }

  readonly write = (bytes: string | Uint8Array): Effect.Effect<void> =>
    Effect.callback((resume) => {
      this.socket.write(bytes, () => resume(Effect.void))
    })

  /** Closes the connection for writing, and keeps reading. */
  readonly end: Effect.Effect<void> = Effect.sync(() => this.socket.end())

  readonly destroy: Effect.Effect<void> = Effect.sync(() => this.socket.destroy())

  /** Closes the connection as a client does that has crashed: what is on its way is lost. */
  readonly reset: Effect.Effect<void> = Effect.sync(() => this.socket.resetAndDestroy())

  /** The next response; dies if the connection closes before it is complete. */
  readonly reply: Effect.Effect<RawReply> = Effect.callback((resume) => {
    const look = (): void => {
      const parsed = parse(this.received)
      if (parsed !== undefined) {
        this.onChange = () => {}
        this.received = parsed.rest
        resume(Effect.succeed(parsed.reply))
      } else if (this.closed) {
        resume(Effect.die(new Error(`The connection closed after ${JSON.stringify(this.received)}`)))
      }
    }
    this.onChange = look
    look()
  })

  /** Completes when the server has closed the connection; what came and was not read is the result. */
  readonly close: Effect.Effect<string> = Effect.callback((resume) => {
    const look = (): void => {
      if (this.closed) resume(Effect.succeed(this.received))
    }
    this.onChange = look
    look()
  })
}

/** Opens a connection that goes with the scope. */
export const openConnection = (port: number): Effect.Effect<RawConnection, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<RawConnection>((resume) => {
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () =>
        resume(Effect.succeed(new RawConnection(socket)))
      )
    }),
    (connection) => connection.destroy
  )
