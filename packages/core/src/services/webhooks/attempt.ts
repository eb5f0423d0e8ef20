import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { AttemptFailure } from "../../domain/Delivery.ts"
import { formatTimestamp } from "../../domain/Timestamp.ts"
import type { WebhookRecord } from "../../ports/WebhookRows.ts"
import type { WebhookOutcome, WebhookSender } from "../../ports/WebhookSender.ts"

/** The outcome of an attempt, which may have come to nothing before it was sent. */
export type AttemptOutcome =
  | Extract<WebhookOutcome, { readonly delivered: true }>
  | (Omit<Extract<WebhookOutcome, { readonly delivered: false }>, "reason"> & { readonly reason: AttemptFailure })

/** Milliseconds that an endpoint has to respond. */
export const attemptTimeout = 20_000

/** Characters of a message that are kept. */
const longestMessage = 200

const noSender: AttemptOutcome = {
  delivered: false,
  reason: "no_sender",
  message: "This petstore sends no webhooks. Open it with the option webhooks."
}

/** One line without control characters, whatever a sender wrote. */
const oneLine = (message: string): string => message.replace(/\p{Cc}+/gu, " ").slice(0, longestMessage)

/** The secrets that sign a request at a time. */
const secretsAt = ({ previous, secret }: WebhookRecord, now: number): ReadonlyArray<Redacted.Redacted<string>> =>
  [secret, ...(previous !== undefined && previous.until > formatTimestamp(now) ? [previous.secret] : [])].map((text) =>
    Redacted.make(text)
  )

/** Sends one body to an endpoint, once. Never fails: a sender that does has made no delivery. */
export const attempt = (
  sender: WebhookSender["Service"] | undefined,
  record: WebhookRecord,
  id: string,
  body: string,
  now: number
): Effect.Effect<AttemptOutcome> => {
  if (sender === undefined) return Effect.succeed(noSender)
  const { id: webhookId, url } = record.webhook
  return Effect.suspend(() =>
    sender.send({
      webhookId,
      url,
      id,
      timestamp: Math.floor(now / 1000),
      secrets: secretsAt(record, now),
      body,
      timeout: attemptTimeout
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
}
