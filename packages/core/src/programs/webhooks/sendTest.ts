import * as Effect from "effect/Effect"
import type { WebhookTestResult } from "../../domain/webhooks/Delivery.ts"
import type { WebhookTest } from "../../domain/webhooks/Webhook.ts"
import type { WebhookSender } from "../../ports/WebhookSender.ts"
import type { WebhookRecord } from "../../tables/webhookTables.ts"
import type { Journal } from "../events/Journal.ts"
import { attempt } from "./attempt.ts"

/** Sends an event of the type `webhook.test` to an endpoint, whether or not it is enabled. */
export const sendTest = (
  journal: Journal["Service"],
  sender: WebhookSender["Service"] | undefined,
  record: WebhookRecord
): Effect.Effect<WebhookTestResult> =>
  Effect.gen(function* () {
    const { id } = record.webhook
    const test: WebhookTest = {
      id: yield* journal.nextId("evt"),
      type: "webhook.test",
      timestamp: yield* journal.clockTime,
      subject: `webhooks/${id}`,
      data: { id }
    }
    const now = Date.parse(test.timestamp)
    const outcome = yield* attempt(sender, record, { id: test.id, body: JSON.stringify(test), attempts: 0 }, now)
    if (outcome.delivered) return { delivered: true, responseStatus: outcome.status }
    const { message, reason, status } = outcome
    return { delivered: false, failure: reason, ...(status === undefined ? {} : { responseStatus: status }), message }
  })
