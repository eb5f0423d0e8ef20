import type { MalformedRequest, PayloadTooLarge } from "@petstore/core/domain"
import type * as Effect from "effect/Effect"
import type { Answer } from "./Answer.ts"
import type { HostRequest } from "./authentication/HostPrincipal.ts"
import type { BodyTaken } from "./request/BodyTaken.ts"

/**
 * Who is waiting for a response: a caller with valid credentials, a health check, or anyone else. Under load, responses to
 * `anyone` are delayed so that callers and health checks keep their share.
 */
export type Standing = "caller" | "probe" | "anyone"

/** A request as it arrives, and the way back. */
export interface Incoming {
  readonly method: string
  /** The request target as it was sent: a path with its query, or a whole URL. */
  readonly target: string
  /** What it is to the host. */
  readonly request: HostRequest
  /** Whether `Content-Encoding` is ours to set. Servers of the Fetch standard encode by themselves, and some drop ours. */
  readonly canEncode: boolean
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined
  /** Whether a body follows the headers. Without one, the request has arrived with its headers. */
  hasBody(): boolean
  /** Receives the body. Refuses more bytes than the limit as soon as it knows, and a body that ends too early. */
  receive(limit: number): Effect.Effect<Uint8Array, PayloadTooLarge | MalformedRequest | BodyTaken>
  /** Receives and drops a body that the operation does not use. Refuses the same as `receive`. */
  discard(limit: number): Effect.Effect<void, MalformedRequest>
  /** Sends the answer; called once. `last`: no further request is taken from this client's connection. */
  answer(answer: Answer, last: boolean, standing: Standing): void
}
