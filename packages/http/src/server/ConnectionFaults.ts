import { Buffer } from "node:buffer"
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { HeadersTooLarge, IncompleteRequest, MalformedRequest, type PetstoreError } from "@petstore/core/domain"
import type { Host } from "./Host.ts"

/** How long a client may take to read the answer before its connection is cut, in milliseconds. */
const lingering = 1_000

const errorOf = ({ code }: NodeJS.ErrnoException): PetstoreError => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new HeadersTooLarge({})
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new MalformedRequest({}, { message: "The chunk extensions are too large." })
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new IncompleteRequest({})
    default:
      return new MalformedRequest({})
  }
}

/** Answers what node:http cannot make a request of. */
export class ConnectionFaults {
  private readonly host: Host
  private readonly unanswered = new WeakMap<Duplex, ServerResponse>()

  constructor(host: Host) {
    this.host = host
  }

  /** Remembers a request that is not answered yet. */
  watch(response: ServerResponse): void {
    this.unanswered.set(response.req.socket, response)
  }

  readonly onError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy()
      return
    }
    const response = this.unanswered.get(socket)
    const pending = response !== undefined && !response.writableEnded
    if (pending && response.req.complete) {
      // What is at fault came after a request that is still to be answered on this connection.
      response.shouldKeepAlive = false
    } else if (pending && response.headersSent) {
      socket.destroy()
    } else {
      this.send(socket, errorOf(error))
    }
  }

  readonly onConnect = (_request: IncomingMessage, socket: Duplex): void => {
    this.send(socket, new MalformedRequest({}, { message: "This server is no proxy." }))
  }

  private send(socket: Duplex, error: PetstoreError): void {
    const { body, headers, status } = this.host.answerTo(error)
    const all = [...headers, "Content-Length", String(Buffer.byteLength(body)), "Connection", "close"]
    const lines = all.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("")
    socket.on("error", () => {})
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\n${lines}\r\n${body}`)
    setTimeout(() => socket.destroy(), lingering).unref()
  }
}
