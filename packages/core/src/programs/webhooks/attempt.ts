import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { formatTimestamp } from "../../domain/Timestamp.ts"
import type { AttemptFailure } from "../../domain/webhooks/Delivery.ts"
import type { WebhookOutcome, WebhookSender } from "../../ports/WebhookSender.ts"
import type { WebhookRecord } from "../../tables/webhookTables.ts"
import { type TracedWork, tracedPart } from "../tracing.ts"

/** The outcome of an attempt, which may have come to nothing before it was sent. */
export type AttemptOutcome =
  | Extract<WebhookOutcome, { readonly delivered: true }>
  | (Omit<Extract<WebhookOutcome, { readonly delivered: false }>, "reason"> & { readonly reason: AttemptFailure })

/** Milliseconds that an endpoint has to respond. */
const attemptTimeoutMillis = 20_000

/** Characters of a message that are kept. */
const mostMessageCharacters = 200

const noSender: AttemptOutcome = {
  delivered: false,
  reason: "no_sender",
  message: "This petstore sends no webhooks. Open it with the option webhooks."
}

/** One line without control characters that every database keeps as it is, whatever a sender wrote. */
const oneLine = (message: string): string =>
  message
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, mostMessageCharacters)
    .toWellFormed()

/** The secrets that sign a request at a time. */
const secretsAt = ({ previous, secret }: WebhookRecord, now: number): ReadonlyArray<Redacted.Redacted<string>> =>
  [secret, ...(previous !== undefined && previous.until > formatTimestamp(now) ? [previous.secret] : [])].map((text) =>
    Redacted.make(text)
  )

/** What is sent. */
interface AttemptContent {
  /** The id of the event. */
  readonly id: string
  readonly body: string
  /** How many attempts were made before. */
  readonly attempts: number
  /** The trace that the event was written in. */
  readonly traceparent?: string | undefined
}

/** Sends one body to an endpoint, once. Never fails: a sender that does has made no delivery. */
export const attempt = (
  sender: WebhookSender["Service"] | undefined,
  record: WebhookRecord,
  { attempts, body, id, traceparent }: AttemptContent,
  now: number
): Effect.Effect<AttemptOutcome> => {
  if (sender === undefined) return Effect.succeed(noSender)
  const { id: webhookId, url } = record.webhook
  const sentIn = (trace: string | undefined): Effect.Effect<AttemptOutcome> =>
    Effect.suspend(() =>
      sender.send({
        webhookId,
        url,
        id,
        timestamp: Math.floor(now / 1000),
        secrets: secretsAt(record, now),
        body,
        timeout: attemptTimeoutMillis,
        ...(trace === undefined ? {} : { traceparent: trace })
      })
    ).pipe(
      Effect.map(
        (outcome): AttemptOutcome => (outcome.delivered ? outcome : { ...outcome, message: oneLine(outcome.message) })
      ),
      Effect.catchCause((cause) =>
        Cause.hasInterrupts(cause)
          ? Effect.failCause(cause)
          : Effect.as(Effect.logError(`The sender of webhooks failed for webhook ${webhookId}`, cause), {
              delivered: false,
              reason: "connection",
              message: "The sender failed. The log has the cause."
            } as const)
      )
    )
  return tracedPart(
    () => requestSpan(url, attempts),
    (span) =>
      // Without a span of its own, the request goes on with the trace that the event was written in.
      Effect.map(sentIn(span.traceparent ?? traceparent), (outcome) => {
        if (outcome.status !== undefined) span.attribute("http.response.status_code", outcome.status)
        if (!outcome.delivered) span.failed(String(outcome.status ?? outcome.reason))
        return outcome
      })
  )
}

/** The span of a request. Path and query of a URL may contain secrets, so it has neither. */
const requestSpan = (url: string, attempts: number): TracedWork => {
  const { hostname, port, protocol } = new URL(url)
  return {
    name: "POST",
    kind: "client",
    attributes: {
      "http.request.method": "POST",
      "url.scheme": protocol.slice(0, -1),
      "server.address": hostname,
      "server.port": port === "" ? (protocol === "http:" ? 80 : 443) : Number(port),
      ...(attempts === 0 ? {} : { "http.request.resend_count": attempts })
    }
  }
}
