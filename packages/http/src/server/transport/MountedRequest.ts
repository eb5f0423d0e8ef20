import { AsyncResource } from "node:async_hooks"
import { Buffer } from "node:buffer"
import { type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import type { ClientKind, HttpRequest, ReceivedBody } from "../HttpRequest.ts"
import type { HttpResponse, ResponseStream } from "../HttpResponse.ts"
import { addHeaders, ignore, ignoreRejection, isPromise, removeFraming } from "./appHeaders.ts"
import { NodeHttpRequest, type NodeRequest } from "./NodeHttpRequest.ts"
import type { Pipelines } from "./Pipelines.ts"

/** Closes the connection of a response whose objects may throw; ends the response alone if they let it do no more. */
export const cut = (response: ServerResponse, socketOf: () => Socket): void => {
  const ways: ReadonlyArray<() => unknown> = [
    () => response.destroy(),
    () => socketOf().destroy(),
    () => Reflect.apply(Duplex.prototype.destroy, socketOf(), []),
    () => (response.headersSent ? response : response.writeHead(500, { Connection: "close" })).end()
  ]
  for (const destroy of ways) {
    try {
      ignoreRejection(destroy())
      return
    } catch {
      // The next way may work.
    }
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
  private readonly socket: Socket
  private readonly pipelines: Pipelines
  private stream: ResponseStream | undefined
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
    this.socket = request.socket
  }

  get allowedOrigin(): string | undefined {
    return this.response.getHeader("access-control-allow-origin")?.toString()
  }

  override header(name: string): string | undefined {
    // An app that gives its requests ids has them in its own log.
    const given = name === "x-request-id" ? this.response.getHeader(name) : undefined
    return given === undefined ? super.header(name) : String(given)
  }

  override receive(limit: number, done: (received: ReceivedBody) => void): () => void {
    // What follows keeps the store of the app's AsyncLocalStorage. `AsyncResource.bind` takes 2 KB for each request.
    const resource = new AsyncResource("PetstoreRequest")
    return super.receive(limit, (received) => resource.runInAsyncScope(done, undefined, received))
  }

  override onDisconnect(cancel: () => void): void {
    try {
      super.onDisconnect(cancel)
    } catch (cause) {
      this.onFault(this, cause)
      cancel()
    }
  }

  /** Sends the response as frameworks do: wrappers of `writeHead`, `write` and `end` find its status and headers where they look. Many misread the list of headers that is fastest. */
  override respond({ body, headers, status, stream }: HttpResponse, last: boolean, client: ClientKind): void {
    const { original, response } = this
    if (client === "authenticated") this.pipelines.trust(this.socket)
    if (this.isAborted || response.destroyed || response.headersSent) {
      stream?.cancel()
      if (!this.isAborted && response.headersSent) this.reportSent()
      return
    }
    // The app may end it, too, for example after a time of its own.
    response.on("error", ignore)
    response.statusCode = status
    // Responses of HTTP/2 have none.
    if (original.httpVersionMajor < 2) response.statusMessage = STATUS_CODES[status] ?? ""
    removeFraming(response)
    if ((last || status === 408) && original.httpVersionMajor < 2) headers.push("Connection", "close")
    if (body !== "") headers.push("Content-Length", String(Buffer.byteLength(body)))
    addHeaders(response, headers)
    if (stream === undefined) this.settle(response.end(body))
    else this.sendStream(stream)
    if (!original.complete && this.hasBody()) this.drop()
  }

  /** Whether the app has begun the response before it has passed the request on. Then the request must not be handled. */
  get isSent(): boolean {
    return this.response.headersSent
  }

  /** Ends a response that the app has begun, unless it has ended it, too. */
  reportSent(): void {
    if (this.response.writableEnded) this.onFault({ abort: ignore }, sentByApp("and ended it"))
    else this.onFault(this, sentByApp("but not ended it, so the connection was closed"))
  }

  override abort(): void {
    this.isAborted = true
    this.stream?.cancel()
    cut(this.response, () => this.socket)
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
        this.settle(returned)
        return returned
      } catch (cause) {
        this.fail(cause)
        return undefined
      }
    }
  }

  /** Waits for what a method of an object of the app returned, if that is a promise. */
  private settle(returned: unknown): void {
    if (isPromise(returned)) returned.then(undefined, (cause) => this.fail(cause))
  }

  private fail(cause: unknown): void {
    if (!this.isAborted) this.onFault(this, cause)
  }
}
