import { AsyncResource } from "node:async_hooks"
import { Buffer } from "node:buffer"
import { EventEmitter } from "node:events"
import { type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { AppFault, type ClientKind, type HttpRequest, type ReceivedBody } from "../HttpRequest.ts"
import type { HttpResponse, ResponseStream } from "../HttpResponse.ts"
import { ignore, ignoreRejection, isPromise, used } from "./appObjects.ts"
import { NodeHttpRequest, streamOf } from "./NodeHttpRequest.ts"
import type { Pipelines } from "./Pipelines.ts"
import type { NodeRequest } from "./requestHead.ts"

const destroyed = (object: { readonly destroy: () => unknown }): unknown =>
  Reflect.apply(used(object.destroy), object, [])

/** Closes the connection of a response whose objects may throw; ends the response alone if they let it do no more. */
export const cut = (response: ServerResponse, socketOf: () => Socket): void => {
  const ways: Array<() => unknown> = [
    () => destroyed(response),
    () => destroyed(used(socketOf())),
    () => Reflect.apply(Duplex.prototype.destroy, used(socketOf()), []),
    () =>
      used(
        used(response.headersSent)
          ? response
          : response.writeHead(500, streamOf(response) ? {} : { Connection: "close" })
      ).end()
  ]
  const next = (): void => {
    try {
      const returned = ways.shift()?.()
      if (isPromise(returned)) returned.then(undefined, next)
    } catch {
      next()
    }
  }
  next()
}

/** The methods of a response that are called. */
const methods = [
  "on",
  "once",
  "getHeader",
  "getHeaderNames",
  "setHeader",
  "removeHeader",
  "write",
  "end",
  "writeHead"
] as const

const itemsOf = (list: string): ReadonlyArray<string> =>
  list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** The items of both lists, each once. */
const union = (first: string, second: string): string => {
  const items = [...itemsOf(first), ...itemsOf(second)]
  const names = items.map((item) => item.toLowerCase())
  return names.includes("*") ? "*" : items.filter((_, index) => names.indexOf(names[index] ?? "") === index).join(", ")
}

const appended = (app: string, own: string): string => `${app}, ${own}`

/** What an app may forbid caches and proxies, too. What it allows them does not hold for the petstore's responses. */
const restrictions = /(?:^|,)\s*(?:private|no-store|no-transform)\s*(?=,|$)/gi

/** How to join the values of a header whose value is a list: that of the response so far, and another. */
const joins: ReadonlyMap<string, (app: string, own: string) => string> = new Map([
  ["Vary", union],
  ["Cache-Control", (app, own) => union(own, (app.match(restrictions) ?? []).join())],
  ["Link", appended],
  ["RateLimit", appended],
  ["RateLimit-Policy", appended],
  ["Access-Control-Expose-Headers", appended]
])

/**
 * Adds headers, which are names and values in turn, to those that an app has set. One at a time: not all middleware that wraps
 * `writeHead` reads an array.
 */
export const addHeaders = (response: ServerResponse, headers: ReadonlyArray<string>): void => {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ""
    const own = headers[index + 1] ?? ""
    const join = joins.get(name)
    const app = join === undefined ? undefined : used(response.getHeader(name))
    const value = join === undefined || app === undefined ? own : join([app].flat().join(", "), own)
    const returned: unknown = response.setHeader(name, value)
    if (returned !== response) ignoreRejection(returned)
  }
}

/** Headers that describe the bytes of a body, or where it ends. Those of the app describe another body. */
const ofBody: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-length",
  "content-range",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** Removes what an app has set that would say of the response where or what it is not. It may still close the connection. */
const removeFraming = (response: ServerResponse): void => {
  // Most apps have set few headers, or none.
  for (const name of used(response.getHeaderNames())) {
    if (ofBody.has(name)) ignoreRejection(response.removeHeader(name))
    if (name !== "connection") continue
    const closes = /(?:^|,)\s*close\s*(?:,|$)/i.test(String(used(response.getHeader(name))))
    ignoreRejection(closes ? response.setHeader("Connection", "close") : response.removeHeader(name))
  }
}

const sentByApp = (outcome: string): Error =>
  new Error(
    `The app has sent the headers of this response, ${outcome}. Call handler.node before anything is sent, and send nothing afterwards.`
  )

/**
 * A request to a server of the host application. Its objects may be wrapped by any middleware. What they throw, now or later,
 * ends this response, and never the process.
 */
export class MountedRequest extends NodeHttpRequest {
  private readonly onFault: (request: Pick<HttpRequest, "abort">, cause: unknown) => void
  private readonly pipelines: Pipelines
  private stream: ResponseStream | undefined
  private cancel = ignore
  private isAborted = false

  /** `onFault`: called with what the objects throw outside the calls of this class. */
  constructor(
    request: NodeRequest,
    response: ServerResponse,
    onFault: (request: Pick<HttpRequest, "abort">, cause: unknown) => void,
    pipelines: Pipelines
  ) {
    super(request, response)
    this.pipelines = pipelines
    this.onFault = onFault
    used(request.on)
    for (const name of methods) {
      const method: unknown = response[name]
      if (typeof method !== "function") used(method)
    }
    for (const object of [request, response]) {
      // An error without a listener ends the process. The app may emit one, or end the response by one, at any time.
      this.settle(object.on("error", ignore))
      const { emit } = object
      if (emit !== EventEmitter.prototype.emit) this.guardEmit(object, used(emit))
    }
  }

  get allowedOrigin(): string | undefined {
    return used(this.response.getHeader("access-control-allow-origin"))?.toString()
  }

  /** An app that gives its requests ids has them in its own log. */
  get givenId(): string | undefined {
    return used(this.response.getHeader("x-request-id"))?.toString()
  }

  override receive(limit: number, done: (received: ReceivedBody) => void): () => void {
    // What follows keeps the store of the app's AsyncLocalStorage. `AsyncResource.bind` takes 2 KB for each request.
    const resource = new AsyncResource("PetstoreRequest")
    return super.receive(limit, (received) => resource.runInAsyncScope(done, undefined, received))
  }

  override onDisconnect(cancel: () => void): void {
    this.cancel = cancel
    try {
      super.onDisconnect(cancel)
    } catch (cause) {
      this.fail(cause)
    }
  }

  /** Sends the response as frameworks do: wrappers of `writeHead`, `write` and `end` find its status and headers where they look. Many misread the list of headers that is fastest. */
  override respond({ body, headers, status, stream }: HttpResponse, last: boolean, client: ClientKind): void {
    const { head, original, response } = this
    if (client === "authenticated") this.pipelines.trust(head.socket)
    const isSent = !this.isAborted && this.isSent
    // Responses of HTTP/2 do not say that they are destroyed.
    if (this.isAborted || isSent || used(response.destroyed) || this.isCanceled) {
      stream?.cancel()
      if (isSent) this.reportSent()
      return
    }
    response.statusCode = status
    // Responses of HTTP/2 have none.
    if (!head.isHttp2) response.statusMessage = STATUS_CODES[status] ?? ""
    removeFraming(response)
    if ((last || status === 408) && !head.isHttp2) headers.push("Connection", "close")
    if (body !== "") headers.push("Content-Length", String(Buffer.byteLength(body)))
    addHeaders(response, headers)
    // `end` and `write` call it, too, but nobody would hear of its rejection.
    this.settle(response.writeHead(status))
    if (!this.isSent && !this.isCanceled)
      throw new AppFault("The writeHead of the app's response object sent no headers. Call the original one in it.")
    if (stream === undefined) this.sendBody(body)
    else this.sendStream(stream)
    if (this.hasBody && !used(original.complete)) this.drop()
  }

  private sendBody(body: HttpResponse["body"]): void {
    const { head, response } = this
    if (!head.isHttp2) {
      this.settle(response.end(body))
      return
    }
    // The `end` of HTTP/2 passes a body to `write`, and nobody would hear of its rejection. Of a response without one, even an empty
    // text comes after the end of the stream.
    if (body !== "" && head.method !== "HEAD") this.settle(response.write(body))
    this.settle(response.end())
  }

  /** Whether the client has canceled a request of HTTP/2: its response object then sends nothing. */
  private get isCanceled(): boolean {
    const stream = streamOf(this.response)
    return stream !== undefined && (used(stream.destroyed) === true || used(stream.closed) === true)
  }

  /** Whether the app has begun the response before it has passed the request on. Then the request must not be handled. */
  get isSent(): boolean {
    return used(this.response.headersSent)
  }

  /** Ends a response that the app has begun, unless it has ended it, too. */
  reportSent(): void {
    if (used(this.response.writableEnded)) this.onFault({ abort: ignore }, sentByApp("and ended it"))
    else this.onFault(this, sentByApp("but not ended it, so the connection was closed"))
  }

  override abort(): void {
    this.isAborted = true
    this.stream?.cancel()
    this.cancel()
    cut(this.response, () => this.head.socket)
  }

  protected override sendStream(stream: ResponseStream): void {
    this.stream = stream
    super.sendStream(stream)
  }

  protected override guard<Arguments extends ReadonlyArray<unknown>, Returned>(
    call: (...args: Arguments) => Returned
  ): (...args: Arguments) => Returned | undefined {
    return (...args) => {
      try {
        const returned = call(...args)
        if (returned !== undefined) this.settle(returned)
        return returned
      } catch (cause) {
        this.fail(cause)
        return undefined
      }
    }
  }

  /** Node.js calls an `emit` of the app where nothing catches what it throws. */
  private guardEmit(object: EventEmitter, emit: EventEmitter["emit"]): void {
    const guarded = this.guard((args: Parameters<typeof emit>) => Reflect.apply(emit, object, args))
    object.emit = (...args) => guarded(args) === true
  }

  protected override settle(returned: unknown): void {
    // Most methods return their object.
    if (returned !== this.response && returned !== this.original && isPromise(returned))
      returned.then(undefined, (cause) => this.fail(cause))
  }

  private fail(cause: unknown): void {
    if (!this.isAborted) this.onFault(this, cause)
  }
}
