import { Buffer } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"
import { type MalformedRequest, PayloadTooLarge } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import type { Answer } from "../Answer.ts"
import type { Incoming, Standing } from "../Incoming.ts"
import { BodyTaken } from "../request/BodyTaken.ts"
import { endedTooEarly, unusedTooLarge } from "../request/unusedBody.ts"
import type { Connection } from "./Connection.ts"

/** Bytes of a body that nobody wants any more, after which its connection is cut. */
const discardLimit = 4 * 1024 * 1024

const nothing = new Uint8Array(0)

const fix =
  "Mount handler.node before what reads bodies, or leave in request.body what it made of them: a Buffer, text or a JSON value."

/** A request of node:http, on which body parsers leave what they read. */
export interface NodeRequest extends IncomingMessage {
  readonly body?: unknown
}

/** Whether a request of HTTP/2 ended with its headers: only a flag says so, whatever `Content-Length` is. */
const endsWithHeaders = (request: IncomingMessage & { readonly stream?: { readonly endAfterHeaders?: boolean } }) =>
  request.stream?.endAfterHeaders === true

/** Whether the last byte has arrived. HTTP/2 calls a canceled request complete too. */
const hasArrived = ({ aborted, complete }: IncomingMessage): boolean => complete && !aborted

/** The bytes that a parser of the host took for what it left behind. */
const unparsed = (body: unknown, limit: number): Effect.Effect<Uint8Array, PayloadTooLarge | BodyTaken> => {
  if (body === undefined) return Effect.fail(new BodyTaken(fix))
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
  return bytes.length > limit ? Effect.fail(new PayloadTooLarge({ limit })) : Effect.succeed(bytes)
}

/** Takes the rest of a body, so that a client that still sends it comes to read the answer, but not without end. */
const drop = (request: IncomingMessage): void => {
  let dropped = 0
  request.on("error", () => {})
  request.on("data", (chunk: Uint8Array) => {
    dropped += chunk.length
    if (dropped > discardLimit) request.socket.destroy()
  })
}

/** A request of node:http and its response. */
export class NodeIncoming implements Incoming {
  readonly canEncode = true
  readonly method: string
  readonly target: string
  /** Whether the client waits to be told before it sends the body. */
  private awaitsContinue: boolean
  readonly request: NodeRequest
  private readonly response: ServerResponse
  /** Undefined in a server of the host application. */
  private readonly connection: Connection | undefined

  constructor(request: NodeRequest, response: ServerResponse, awaitsContinue = false, connection?: Connection) {
    this.method = request.method ?? ""
    this.target = request.url ?? ""
    this.request = request
    this.response = response
    this.awaitsContinue = awaitsContinue
    this.connection = connection
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  }

  hasBody(): boolean {
    const { headers, httpVersionMajor } = this.request
    if (httpVersionMajor >= 2) return !endsWithHeaders(this.request)
    return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"
  }

  receive(limit: number): Effect.Effect<Uint8Array, PayloadTooLarge | MalformedRequest | BodyTaken> {
    const { request } = this
    if (!this.hasBody()) return Effect.succeed(nothing)
    if (request.readableDidRead || request.readableEnded) return unparsed(request.body, limit)
    const chunks: Array<Uint8Array> = []
    const refusal = () => new PayloadTooLarge({ limit })
    return Effect.map(
      this.read(limit, refusal, (chunk) => chunks.push(chunk)),
      () => (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    )
  }

  discard(limit: number): Effect.Effect<void, MalformedRequest> {
    return Effect.suspend(() => {
      const { request } = this
      if (hasArrived(request)) return Effect.void
      if (request.destroyed) return Effect.fail(endedTooEarly())
      return this.read(
        limit,
        () => unusedTooLarge(limit),
        () => {}
      )
    })
  }

  answer(answer: Answer, last: boolean, standing: Standing): void {
    const { connection } = this
    if (standing === "caller") connection?.trust()
    if (last || connection === undefined || standing === "caller") this.send(answer, last)
    else connection.pace(standing, answer.body.length, (ending) => this.send(answer, ending))
  }

  private send({ status, headers, body }: Answer, last: boolean): void {
    const { connection, request, response } = this
    if (response.destroyed || response.headersSent) return
    // Whoever was not told to send the body may leave it out, and the next request would be taken for it.
    const ends = this.awaitsContinue || status === 408 || (last && (connection?.isLatest(response) ?? true))
    if (ends && request.httpVersionMajor < 2) {
      headers.push("Connection", "close")
      connection?.takeNoMore()
    }
    if (body !== "") headers.push("Content-Length", String(Buffer.byteLength(body)))
    response.writeHead(status, headers)
    response.end(body)
    if (!request.complete && this.hasBody()) drop(request)
  }

  /** Reads the body to its end. */
  private read<E>(
    limit: number,
    tooLarge: () => E,
    take: (chunk: Uint8Array) => void
  ): Effect.Effect<void, E | MalformedRequest> {
    const { request } = this
    return Effect.callback((resume) => {
      let length = 0
      const stop = (): void => {
        request.off("data", onData).off("end", onEnd).off("error", onEnd).off("close", onEnd)
      }
      const settle = (outcome: Effect.Effect<void, E | MalformedRequest>): void => {
        stop()
        resume(outcome)
      }
      const onData = (chunk: Uint8Array): void => {
        length += chunk.length
        if (length > limit) settle(Effect.fail(tooLarge()))
        else take(chunk)
      }
      const onEnd = (): void => settle(hasArrived(request) ? Effect.void : Effect.fail(endedTooEarly()))
      request.on("data", onData).on("end", onEnd).on("error", onEnd).on("close", onEnd)
      if (this.awaitsContinue) {
        this.awaitsContinue = false
        this.response.writeContinue()
      }
      return Effect.sync(stop)
    })
  }
}
