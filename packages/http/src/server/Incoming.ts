import type { MalformedRequest, PayloadTooLarge } from "@petstore/core/domain"
import type { Effect } from "effect"
import type { Answer } from "./Answer.ts"
import type { BodyTaken } from "./BodyTaken.ts"
import type { HostRequest } from "./HostPrincipal.ts"

/** A request as it arrives, and the way back. */
export interface Incoming {
  readonly method: string
  /** The request target as it was sent: a path with its query, or a whole URL. */
  readonly target: string
  /** What it is to the host. */
  readonly request: HostRequest
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined
  /** Receives the body. Refuses more bytes than the limit as soon as it knows, and a body that ends too early. */
  receive(limit: number): Effect.Effect<Uint8Array, PayloadTooLarge | MalformedRequest | BodyTaken>
  /** Sends the answer; called once. `last`: no further request is taken from this client's connection. */
  answer(answer: Answer, last: boolean): void
}
