import { Buffer } from "node:buffer"
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import {
  HeadersTooLarge,
  IncompleteRequest,
  MalformedRequest,
  MethodNotImplemented,
  type PetstoreError
} from "@petstore/core/domain"
import type { RequestHandler } from "../RequestHandler.ts"
import type { Connection } from "./Connection.ts"
import type { Connections } from "./Connections.ts"
import { NodeHttpRequest } from "./NodeHttpRequest.ts"

/** An error of the parser of node:http, with the bytes that it was parsing. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
}

/** Bytes that begin as a request does whose method node:http does not know. */
const unknownMethod = /^[\w!#$%&'*+.^`|~-]+ (?:\/|\*|https?:)/

const errorOf = ({ code, rawPacket }: ParserError): PetstoreError => {
  switch (code) {
    case "HPE_INVALID_METHOD":
      return unknownMethod.test(rawPacket?.toString("latin1") ?? "")
        ? new MethodNotImplemented({})
        : new MalformedRequest({})
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

/** Responds to bytes that node:http cannot parse as a request, and closes their connections. */
export class ProtocolErrors {
  private readonly handler: RequestHandler
  private readonly connections: Connections
  private readonly unusedTimeout: number

  /** `unusedTimeout`: how many milliseconds an unused connection stays open after node:http has reported its timeout. */
  constructor(handler: RequestHandler, connections: Connections, unusedTimeout: number) {
    this.handler = handler
    this.connections = connections
    this.unusedTimeout = unusedTimeout
  }

  readonly onClientError = (error: ParserError, socket: Duplex): void => {
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
    const connection = this.connections.of(socket)
    const { pending } = connection
    const refuse = (): void =>
      this.send(connection, new MalformedRequest({}, { message: "This server is not a proxy." }))
    connection.takeNoMore()
    // Its response comes behind those to the requests before.
    if (pending === undefined) refuse()
    else pending.once("close", refuse)
  }

  private end(connection: Connection, error: ParserError): void {
    const { lastRequest, pending } = connection
    if (pending !== undefined) this.endAfter(pending, connection, error)
    // This request has had its one response already.
    else if (lastRequest?.complete === false) connection.end()
    else this.send(connection, errorOf(error))
  }

  /** Closes a connection after the response to its last request, which is the error if that request is malformed. */
  private endAfter(response: ServerResponse, connection: Connection, error: ParserError): void {
    // First: whether the connection closes after a response shows in it.
    connection.takeNoMore()
    if (response.headersSent) response.once("close", () => connection.end())
    else if (response.req.complete) response.shouldKeepAlive = false
    else this.handler.reject(new NodeHttpRequest(response.req, response, false, connection), errorOf(error))
  }

  private closeUnused(connection: Connection): void {
    setTimeout(() => {
      if (connection.isUnused) connection.end()
    }, this.unusedTimeout).unref()
  }

  private send(connection: Connection, error: PetstoreError): void {
    const { body, headers, status } = this.handler.responseWithoutRequest(error)
    const all = [...headers, "Content-Length", String(Buffer.byteLength(body)), "Connection", "close"]
    const lines = all.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("")
    connection.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\n${lines}\r\n${body}`
    )
  }
}
