import { Buffer } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"
import { MalformedRequest, PayloadTooLarge } from "@petstore/core/domain"
import { Effect } from "effect"
import type { Answer } from "./Answer.ts"
import { BodyTaken } from "./BodyTaken.ts"
import type { Incoming } from "./Incoming.ts"

/** Bytes of a body that nobody wants any more, after which its connection is cut. */
const discardLimit = 4 * 1024 * 1024

const nothing = new Uint8Array(0)

const fix =
  "Mount handler.node before what reads bodies, or leave in request.body what it made of them: a Buffer, text or a JSON value."

/** A request of node:http, on which body parsers leave what they read. */
export interface NodeRequest extends IncomingMessage {
  readonly body?: unknown
}

/** HTTP/2 says nothing before a body whose length is not known. */
const unsaid = ({ httpVersionMajor }: IncomingMessage): string => (httpVersionMajor < 2 ? "0" : "unknown")

const hasBody = (request: IncomingMessage): boolean =>
  request.headers["transfer-encoding"] !== undefined || (request.headers["content-length"] ?? unsaid(request)) !== "0"

/** The bytes that a parser of the host took for what it left behind. */
const unparsed = (body: unknown, limit: number): Effect.Effect<Uint8Array, PayloadTooLarge | BodyTaken> => {
  if (body === undefined) return Effect.fail(new BodyTaken(fix))
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
  return bytes.length > limit ? Effect.fail(new PayloadTooLarge({ limit })) : Effect.succeed(bytes)
}

/** Takes the rest of a body, so that a client that still sends it comes to read the answer, but not without end. */
const discard = (request: IncomingMessage): void => {
  let discarded = 0
  request.on("error", () => {})
  request.on("data", (chunk: Uint8Array) => {
    discarded += chunk.length
    if (discarded > discardLimit) request.socket.destroy()
  })
}

/** A request of node:http and its response. */
export class NodeIncoming implements Incoming {
  readonly method: string
  readonly target: string
  /** Whether the client waits to be told before it sends the body. */
  private awaitsContinue: boolean
  readonly request: NodeRequest
  private readonly response: ServerResponse

  constructor(request: NodeRequest, response: ServerResponse, awaitsContinue = false) {
    this.method = request.method ?? ""
    this.target = request.url ?? ""
    this.request = request
    this.response = response
    this.awaitsContinue = awaitsContinue
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  }

  receive(limit: number): Effect.Effect<Uint8Array, PayloadTooLarge | MalformedRequest | BodyTaken> {
    const { request } = this
    if (!hasBody(request)) return Effect.succeed(nothing)
    if (request.readableDidRead || request.readableEnded) return unparsed(request.body, limit)
    return Effect.callback((resume) => {
      const chunks: Array<Uint8Array> = []
      let length = 0
      const stop = (): void => {
        request.off("data", take).off("end", end).off("error", cut).off("close", cut)
      }
      const settle = (outcome: Effect.Effect<Uint8Array, PayloadTooLarge | MalformedRequest>): void => {
        stop()
        resume(outcome)
      }
      const take = (chunk: Uint8Array): void => {
        length += chunk.length
        if (length > limit) settle(Effect.fail(new PayloadTooLarge({ limit })))
        else chunks.push(chunk)
      }
      const end = (): void =>
        settle(Effect.succeed(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
      const cut = (): void => settle(Effect.fail(new MalformedRequest({}, { message: "The body ended too early." })))
      request.on("data", take).on("end", end).on("error", cut).on("close", cut)
      if (this.awaitsContinue) {
        this.awaitsContinue = false
        this.response.writeContinue()
      }
      return Effect.sync(stop)
    })
  }

  answer({ status, headers, body }: Answer, last: boolean): void {
    const { request, response } = this
    if (response.destroyed || response.headersSent) return
    // Whoever was not told to send the body may leave it out, and the next request would be taken for it.
    const ends = last || this.awaitsContinue || status === 408
    if (ends && request.httpVersionMajor < 2) headers.push("Connection", "close")
    if (body !== "") headers.push("Content-Length", String(Buffer.byteLength(body)))
    response.writeHead(status, headers)
    response.end(body)
    if (!request.complete && hasBody(request)) discard(request)
  }
}
