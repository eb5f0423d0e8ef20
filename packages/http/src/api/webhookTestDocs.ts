import type { WebhookTest } from "@petstore/core/domain"
import { webhook } from "./examples.ts"

/** The documentation of the request that tests an endpoint. */
export const webhookTestDocs = (): {
  readonly summary: string
  readonly description: string
  readonly example: WebhookTest
} => ({
  summary: "A webhook is tested",
  description:
    "Sent when somebody tests the webhook. It belongs to no change, is in no log, and is not sent again if it fails.",
  example: {
    id: "evt_01jz3v9k2m4n6p8q",
    type: "webhook.test",
    timestamp: "2026-05-04T09:30:00.000Z",
    subject: `webhooks/${webhook.id}`,
    data: { id: webhook.id }
  }
})
