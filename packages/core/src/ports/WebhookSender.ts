import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** One attempt to deliver an event to an endpoint. */
export interface WebhookRequest {
  /** The endpoint, so that a sender can keep the connections of endpoints apart. */
  readonly webhookId: number
  readonly url: string
  /** The header `webhook-id`: the id of the event, the same for every attempt. */
  readonly id: string
  /** The header `webhook-timestamp`: now, in seconds since 1970. A sender that waits before it sends adds what it has waited. */
  readonly timestamp: number
  /**
   * The secrets that sign the request, each `whsec_` and base64: one, or two while an endpoint changes its secret, the newest
   * first. The header `webhook-signature` has a signature for each, in this order.
   */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  /** The body, JSON in UTF-8. It is sent exactly as it is, with `Content-Type: application/json`. */
  readonly body: string
  /** The header `traceparent`: the trace that the receiver may continue; absent if there is none. */
  readonly traceparent?: string
  /** Milliseconds from the look-up of the name to the last byte of the response. What a sender waits before is not part of it. */
  readonly timeout: number
}

/** Why an attempt failed. */
export type WebhookFailureReason =
  /** The endpoint responded with another status than 2xx and those of the next two. */
  | "status"
  /** The endpoint responded 410: send no more events. */
  | "gone"
  /** The endpoint responded with a redirect, which is not followed. */
  | "redirect"
  /** There was no complete response in time. */
  | "timeout"
  /** The name could not be resolved, the connection could not be made or broke, or TLS failed. */
  | "connection"
  /** The URL, or an address that its name resolves to, is not allowed. Nothing was sent. */
  | "address"
  /** The response was larger than the sender reads. */
  | "response_too_large"
  /** The response was not valid HTTP. */
  | "invalid_response"

/** The outcome of one attempt. An endpoint has received an event if it responded 2xx, and only then. */
export type WebhookOutcome =
  | { readonly delivered: true; readonly status: number }
  | {
      readonly delivered: false
      readonly reason: WebhookFailureReason
      /** The status of the response, if there was one. */
      readonly status?: number
      /** The header `Retry-After` of the response, in seconds from now; absent if there was none or it was not valid. */
      readonly retryAfter?: number
      /** What happened, for the operator: one line, at most 200 characters, without secrets and without parts of the response. */
      readonly message: string
    }

/**
 * Sends webhooks. The petstore decides when to send what to whom, and records the outcome; an implementation sends the request
 * that it is passed, and never retries by itself.
 */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /**
     * Makes one attempt: signs the request by Standard Webhooks, sends it by `POST`, and returns the outcome. The signature
     * is `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, whose key is what follows `whsec_` in a secret,
     * decoded. Never fails and never dies: whatever happens is an outcome. If it is interrupted, it ends the request.
     */
    readonly send: (request: WebhookRequest) => Effect.Effect<WebhookOutcome>
    /**
     * Why this sender would send nothing to a URL, as a sentence that says what to do; undefined if it would. Checks only the
     * URL, for example at its scheme, port, credentials and literal addresses, and resolves no name: every attempt checks
     * the addresses that it connects to.
     */
    readonly urlProblem: (url: string) => string | undefined
  }
>()("@petstore/core/ports/WebhookSender") {}
