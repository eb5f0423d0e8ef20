import { AsyncResource } from "node:async_hooks"
import { Buffer } from "node:buffer"
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { HttpRequest, ReceivedBody } from "../HttpRequest.ts"
import type { HttpResponse, ResponseStream } from "../HttpResponse.ts"
import { addHeaders } from "./appHeaders.ts"
import { drop, NodeHttpRequest, type NodeRequest } from "./NodeHttpRequest.ts"

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/**
 * A request to a server of the host application. Its objects may be wrapped by any middleware. What they throw, now or later,
 * ends this response, and never the process.
 */
export class MountedRequest extends NodeHttpRequest {
  private readonly onFault: (request: HttpRequest, cause: unknown) => void
  private readonly socket: Socket
  private stream: ResponseStream | undefined
  private isAborted = false

  /** `onFault`: called with what the objects throw outside the calls of this class. */
  constructor(request: NodeRequest, response: ServerResponse, onFault: (request: HttpRequest, cause: unknown) => void) {
    super(request, response)
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
    // What follows keeps the store of the app's AsyncLocalStorage.
    return super.receive(limit, AsyncResource.bind(done))
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
  override respond({ body, headers, status, stream }: HttpResponse, last: boolean): void {
    const { original, response } = this
    if (this.isAborted || response.destroyed || response.headersSent) {
      stream?.cancel()
      return
    }
    // The app may end it, too, for example after a time of its own.
    response.on("error", () => {})
    response.statusCode = status
    if ((last || status === 408) && original.httpVersionMajor < 2) headers.push("Connection", "close")
    if (body !== "") headers.push("Content-Length", String(Buffer.byteLength(body)))
    addHeaders(response, headers)
    if (stream === undefined) this.guard(() => response.end(body))()
    else this.sendStream(stream)
    if (!original.complete && this.hasBody()) drop(original)
  }

  override abort(): void {
    this.isAborted = true
    this.stream?.cancel()
    try {
      this.response.destroy()
    } catch {
      this.socket.destroy()
    }
  }

  protected override sendStream(stream: ResponseStream): void {
    this.stream = stream
    super.sendStream(stream)
  }

  protected override guard<Arguments extends ReadonlyArray<unknown>, Returned>(
    call: (...args: Arguments) => Returned
  ): (...args: Arguments) => Returned | undefined {
    const fail = (cause: unknown): undefined => {
      if (!this.isAborted) this.onFault(this, cause)
    }
    return (...args) => {
      try {
        const returned = call(...args)
        if (isPromise(returned)) returned.then(undefined, fail)
        return returned
      } catch (cause) {
        return fail(cause)
      }
    }
  }
}
