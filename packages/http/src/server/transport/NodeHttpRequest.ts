import { Buffer } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"
import { type MalformedRequest, PayloadTooLarge } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  BodyAlreadyRead,
  type ClientKind,
  endedTooEarly,
  type HttpRequest,
  type ReceivedBody,
  type Scheme,
  unusedTooLarge
} from "../HttpRequest.ts"
import type { HttpResponse, ResponseStream } from "../HttpResponse.ts"
import { ignore, used } from "./appObjects.ts"
import type { Connection } from "./Connection.ts"
import { endTogether } from "./endTogether.ts"
import { headOf, type NodeRequest, type RequestHead } from "./requestHead.ts"

/** How many bytes of a body are dropped after its response, until the connection is closed. */
const discardLimitBytes = 4 * 1024 * 1024

const nothing = Result.succeed(new Uint8Array(0))

const fix =
  "Mount handler.node before body parsers, or let them leave the body in request.body: as a Buffer, text or a JSON value."

/** Whether the last byte has arrived. HTTP/2 calls a canceled request complete too. */
const hasArrived = (request: IncomingMessage): boolean => used(request.complete) && !used(request.aborted)

/** Returns the bytes of a body that a body parser has read. */
const unparsed = (body: unknown, limit: number): ReceivedBody => {
  if (body === undefined) return Result.fail(new BodyAlreadyRead(fix))
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
  return bytes.length > limit ? Result.fail(new PayloadTooLarge({ limit })) : Result.succeed(bytes)
}

/** The stream of a response of HTTP/2, which has no length of its own; undefined for others. */
export const streamOf = (
  response: ServerResponse
): { readonly writableLength?: number; readonly destroyed?: boolean; readonly closed?: boolean } | undefined => {
  const stream: unknown = "stream" in response ? used(response.stream) : undefined
  return typeof stream === "object" && stream !== null ? stream : undefined
}

/** A request of node:http, and its response. That of a host application is a `MountedRequest`. */
export class NodeHttpRequest implements HttpRequest {
  readonly canEncode = true
  readonly method: string
  readonly target: string
  readonly hasBody: boolean
  readonly original: NodeRequest
  readonly arrival: object | undefined
  readonly head: RequestHead
  protected readonly response: ServerResponse
  /** Whether the client waits for `100 Continue` before it sends the body. */
  private expectsContinue: boolean
  /** Whether the turn of the event loop in which it was handled has ended without its response. */
  private hasWaited = false
  /** Undefined in a server of the host application, and in that of the metrics. */
  private readonly connection: Connection | undefined

  constructor(
    request: NodeRequest,
    response: ServerResponse,
    expectsContinue = false,
    connection?: Connection,
    arrival?: object,
    head = headOf(request)
  ) {
    this.method = head.method
    this.target = head.target
    this.hasBody = head.hasBody
    this.original = request
    this.head = head
    this.response = response
    this.expectsContinue = expectsContinue
    this.connection = connection
    this.arrival = arrival
  }

  get address(): string | undefined {
    return used(this.head.socket.remoteAddress)
  }

  get scheme(): Scheme {
    const socket: RequestHead["socket"] & { readonly encrypted?: boolean } = this.head.socket
    return used(socket.encrypted) === true ? "https" : "http"
  }

  header(name: string): string | undefined {
    const value = this.head.headers[name]
    // As nearly all are.
    if (typeof value === "string" || value === undefined) return value
    return Array.isArray(value) ? value.join(", ") : used(value)
  }

  countTo(callerId: number | string): void {
    this.connection?.countTo(callerId, this.response)
  }

  receive(limit: number, done: (received: ReceivedBody) => void): () => void {
    const { original: request } = this
    if (!this.hasBody) {
      done(nothing)
      return ignore
    }
    if (used(request.readableDidRead) || used(request.readableEnded)) {
      done(unparsed(used(request.body), limit))
      return ignore
    }
    const chunks: Array<Uint8Array> = []
    const tooLarge = () => new PayloadTooLarge({ limit })
    const settle = (failure: PayloadTooLarge | MalformedRequest | undefined): void => {
      if (failure !== undefined) done(Result.fail(failure))
      else done(Result.succeed(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    }
    return this.read(limit, tooLarge, (chunk) => chunks.push(chunk), settle)
  }

  discard(limit: number): Effect.Effect<void, MalformedRequest> {
    return Effect.suspend(() => {
      const { original: request } = this
      if (hasArrived(request)) return Effect.void
      if (used(request.destroyed)) return Effect.fail(endedTooEarly())
      return Effect.callback<void, MalformedRequest>((resume) => {
        const stop = this.read(
          limit,
          () => unusedTooLarge(limit),
          () => {},
          (failure) => resume(failure === undefined ? Effect.void : Effect.fail(failure))
        )
        return Effect.sync(stop)
      })
    })
  }

  onDisconnect(cancel: () => void): void {
    const { connection, response } = this
    this.hasWaited = true
    // Emitted once.
    this.settle(
      response.on("close", () => {
        cancel()
        connection?.release(response)
      })
    )
  }

  closeConnection(): void {
    this.connection?.closeAfter(this.response)
  }

  respond(response: HttpResponse, last: boolean, client: ClientKind): void {
    const { connection } = this
    if (client === "authenticated") connection?.trust()
    if (last || connection === undefined || client === "authenticated") this.send(response, last)
    else connection.throttle(client, response.body.length, (isLast) => this.send(response, isLast))
  }

  abort(): void {
    this.response.destroy()
  }

  /** Returns a function of the objects that this was made with, to be called later. A `MountedRequest` catches what it throws. */
  protected guard<Arguments extends ReadonlyArray<unknown>, Returned>(
    call: (...args: Arguments) => Returned
  ): (...args: Arguments) => Returned | undefined {
    return call
  }

  /** Takes what a method returned. A `MountedRequest` waits for it if it is a promise, which it is not of node:http. */
  protected settle(_returned: unknown): void {}

  private send({ status, headers, body, stream }: HttpResponse, last: boolean): void {
    const { connection, original: request, response } = this
    if (response.destroyed || response.headersSent) {
      stream?.cancel()
      return
    }
    // A client that got no `100 Continue` may leave the body out, and its next request would be read as the body.
    const closes = this.expectsContinue || status === 408 || (last && (connection?.isLatest(response) ?? true))
    if (closes && !this.head.isHttp2) {
      headers.push("Connection", "close")
      this.closeConnection()
    }
    if (body !== "") headers.push("Content-Length", String(Buffer.byteLength(body)))
    response.writeHead(status, headers)
    if (stream !== undefined) this.sendStream(stream)
    else if (this.hasWaited) response.end(body)
    else endTogether(response, body)
    if (!request.complete && this.hasBody) this.drop()
  }

  /** Drops the rest of a body up to a limit, so that a client that still sends it can read the response. */
  protected drop(): void {
    const { original: request } = this
    let dropped = 0
    const onData = this.guard((chunk: Uint8Array): void => {
      dropped += chunk.length
      if (dropped > discardLimitBytes) this.settle(this.head.socket.destroy())
    })
    this.settle(request.on("error", ignore))
    this.settle(request.on("data", onData))
  }

  protected sendStream(stream: ResponseStream): void {
    const { response } = this
    let onDrain = ignore
    // Not the event `drain`: there is none after less than the stream wants to buffer, 64 KiB in recent versions of Node.js.
    const flushed = (error?: Error | null): void => {
      const notify = onDrain
      if (error) return
      onDrain = ignore
      notify()
    }
    const writable: { readonly writableLength?: number } = streamOf(response) ?? response
    this.settle(response.on("error", ignore))
    this.settle(response.once("close", stream.cancel))
    const pending = this.guard(() => used(writable.writableLength))
    stream.open({
      write: this.guard((bytes) => response.write(bytes, flushed)),
      pending: () => pending() ?? 0,
      onDrain: (notify) => {
        onDrain = notify
      },
      end: this.guard(() => response.end()),
      cut: this.guard(() => response.destroy())
    })
  }

  /** Reads the body to its end, and calls `done` once, with why it could not be read to its end. Returns a function that stops it. */
  private read<E>(
    limit: number,
    tooLarge: () => E,
    take: (chunk: Uint8Array) => void,
    done: (failure: E | MalformedRequest | undefined) => void
  ): () => void {
    const { original: request } = this
    let length = 0
    let isDone = false
    const onData = this.guard((chunk: Uint8Array): void => {
      if (isDone) return
      length += chunk.length
      if (length <= limit) {
        take(chunk)
      } else {
        isDone = true
        done(tooLarge())
      }
    })
    const onEnd = this.guard((): void => {
      if (isDone) return
      isDone = true
      done(hasArrived(request) ? undefined : endedTooEarly())
    })
    const stop = (): void => {
      isDone = true
    }
    try {
      // They stay: if the connection was lost, the error may come later, and one without a listener ends the process.
      for (const name of ["error", "close", "end"]) this.settle(request.on(name, onEnd))
      this.settle(request.on("data", onData))
      if (this.expectsContinue) {
        this.expectsContinue = false
        this.response.writeContinue()
      }
    } catch (cause) {
      // A listener that is there already must not end the request a second time.
      stop()
      throw cause
    }
    return stop
  }
}
