import { Buffer } from "node:buffer"
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { HeadersTooLarge, IncompleteRequest, MalformedRequest, type PetstoreError } from "@petstore/core/domain"
import type { Host } from "../Host.ts"
import type { Connection } from "./Connection.ts"
import type { Connections } from "./Connections.ts"
import { NodeIncoming } from "./NodeIncoming.ts"

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
  private readonly connections: Connections
  private readonly unusedTimeout: number

  /** `unusedTimeout`: for how many milliseconds more a connection may stay unused once node:http has reported it. */
  constructor(host: Host, connections: Connections, unusedTimeout: number) {
    this.host = host
    this.connections = connections
    this.unusedTimeout = unusedTimeout
  }

  readonly onError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const connection = this.connections.of(socket)
    if (error.code === "ECONNRESET" || (connection.isOpen && !socket.writable)) {
      socket.destroy()
    } else if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && connection.isUnused) {
      this.closeUnused(connection)
    } else if (connection.isOpen) {
      this.end(connection, error)
    }
  }

  readonly onConnect = (_request: IncomingMessage, socket: Duplex): void => {
    this.send(this.connections.of(socket), new MalformedRequest({}, { message: "This server is no proxy." }))
  }

  private end(connection: Connection, error: NodeJS.ErrnoException): void {
    const { lastRequest, pending } = connection
    if (pending !== undefined) this.endAfter(pending, connection, error)
    // A request has one response, which this one has already.
    else if (lastRequest?.complete === false) connection.end()
    else this.send(connection, errorOf(error))
  }

  /** Ends a connection after the response to its last request, which is the error if the fault is in that request. */
  private endAfter(response: ServerResponse, connection: Connection, error: NodeJS.ErrnoException): void {
    const isAnswered = response.headersSent
    if (isAnswered) response.once("close", () => connection.end())
    else if (response.req.complete) response.shouldKeepAlive = false
    else this.host.reject(new NodeIncoming(response.req, response, false, connection), errorOf(error))
    connection.takeNoMore()
  }

  private closeUnused(connection: Connection): void {
    setTimeout(() => {
      if (connection.isUnused) connection.end()
    }, this.unusedTimeout).unref()
  }

  private send(connection: Connection, error: PetstoreError): void {
    const { body, headers, status } = this.host.answerTo(error)
    const all = [...headers, "Content-Length", String(Buffer.byteLength(body)), "Connection", "close"]
    const lines = all.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("")
    connection.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\n${lines}\r\n${body}`
    )
  }
}
