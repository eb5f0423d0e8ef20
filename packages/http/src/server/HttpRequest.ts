import type { IncomingMessage } from "node:http"
import { InternalError, MalformedRequest, type PayloadTooLarge } from "@petstore/core/domain"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { HttpResponse } from "./HttpResponse.ts"

/**
 * Who waits for a response: a client with valid credentials, a health check, or any other client. Under load, responses to
 * `anonymous` clients are delayed, so that the others keep their share.
 */
export type ClientKind = "authenticated" | "probe" | "anonymous"

/** The scheme of a URL. */
export type Scheme = "http" | "https"

/** The request as your app received it: an `IncomingMessage` of node:http in `node`, a Fetch `Request` in `fetch`. */
export type HostRequest = IncomingMessage | Request

/** A body, or why there is none. */
export type ReceivedBody = Result.Result<Uint8Array, PayloadTooLarge | MalformedRequest | BodyAlreadyRead>

/** A request of node:http or of the Fetch standard. */
export interface HttpRequest {
  readonly method: string
  /** The request target as it was sent: a path with its query, or a whole URL. */
  readonly target: string
  /** The request object that the server or the host application received. */
  readonly original: HostRequest
  /** The address that its connection comes from; undefined if it is not known, as for a Fetch `Request`. */
  readonly address: string | undefined
  /** The scheme that it came with, which is that of the proxy if there is one: see `TrustedProxies`. */
  readonly scheme: Scheme
  /** Whether responses may be compressed here. Servers of the Fetch standard compress by themselves, and some drop our header. */
  readonly canEncode: boolean
  /** The same for requests that were waiting at the same time; undefined if that is not known. See `TimeSlicedQueue`. */
  readonly arrival?: object | undefined
  /** The origin that CORS middleware of the host application allows; undefined if there is none, or it is not known. */
  readonly allowedOrigin?: string | undefined
  /** Whether a body follows the headers. Without one, the request is complete with its headers. */
  readonly hasBody: boolean
  /** The id that the host application has given it; undefined if there is none, or it is not known. */
  readonly givenId?: string | undefined
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined
  /** Called once it is known whose request it is, so that what its connection reads counts to them: see `WorkShares`. */
  countTo?(callerId: number | string): void
  /**
   * Reads the body, and calls `done` once, now or later. Fails as soon as it is known to be over the limit (in bytes), and if it
   * ends too early. Returns a function that stops reading; `done` is not called after it.
   */
  receive(limit: number, done: (received: ReceivedBody) => void): () => void
  /** Reads and drops a body that the operation does not use. Fails as `receive` does. */
  discard(limit: number): Effect.Effect<void, MalformedRequest>
  /** Calls a function when the client disconnects before it has the response. */
  onDisconnect(cancel: () => void): void
  /** Takes no further request from its connection, not even one that has arrived. Called before `respond`. */
  closeConnection(): void
  /** Sends the response; called once. `last`: its connection takes no further request. */
  respond(response: HttpResponse, last: boolean, client: ClientKind): void
  /** Ends the request without a response, because one of its objects has thrown. */
  abort(cause: unknown): void
}

/** The host application uses the handler as it must not. Clients see this message: it contains no secret. */
export class AppFault extends InternalError {
  constructor(message: string) {
    super({}, { message })
  }
}

/** The host application has read a body without leaving it to the handler. */
export class BodyAlreadyRead extends AppFault {
  constructor(fix: string) {
    super(`The server read the body of this request before the petstore could. ${fix}`)
  }
}

/** The client stopped in the middle of the body. */
export const endedTooEarly = (cause?: unknown): MalformedRequest =>
  new MalformedRequest({}, { message: "The body ended too early.", ...(cause === undefined ? {} : { cause }) })

/** The body of an operation that takes none is over the limit. */
export const unusedTooLarge = (limit: number): MalformedRequest =>
  new MalformedRequest({}, { message: `This operation takes no body, and ignores one of up to ${limit} bytes only.` })
