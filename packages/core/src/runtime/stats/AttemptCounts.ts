import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { AttemptFailure } from "../../domain/webhooks/Delivery.ts"

/** How an attempt to deliver a webhook ended: delivered, or why not. */
export type WebhookAttemptOutcome = "delivered" | AttemptFailure

export const webhookAttemptOutcomes: ReadonlyArray<WebhookAttemptOutcome> = ["delivered", ...AttemptFailure.literals]

/** How many attempts to deliver webhooks ended in each way. */
export type WebhookAttempts = Readonly<Record<WebhookAttemptOutcome, number>>

/** How many attempts to deliver messages succeeded, and how many failed; most failed ones are repeated. */
export interface MessageAttempts {
  readonly delivered: number
  readonly failed: number
}

const noWebhookAttempts: WebhookAttempts = {
  delivered: 0,
  status: 0,
  gone: 0,
  redirect: 0,
  timeout: 0,
  connection: 0,
  address: 0,
  response_too_large: 0,
  invalid_response: 0,
  no_sender: 0,
  event_gone: 0,
  attempt_lost: 0
}

/** Counts the attempts of a petstore since it was opened. */
export class AttemptCounts extends Context.Service<
  AttemptCounts,
  {
    readonly webhooks: { -readonly [Outcome in keyof WebhookAttempts]: WebhookAttempts[Outcome] }
    readonly messages: { -readonly [Outcome in keyof MessageAttempts]: MessageAttempts[Outcome] }
  }
>()("@petstore/core/stats/AttemptCounts") {
  static readonly layer = Layer.sync(AttemptCounts, () => ({
    webhooks: { ...noWebhookAttempts },
    messages: { delivered: 0, failed: 0 }
  }))
}
