import type { Event } from "../domain/Event.ts"
import type { WebhookTest } from "../domain/Webhook.ts"

export type { WebhookTest }

/** What webhooks carry: an event, or a test. Its `type` determines its `data`. */
export type WebhookEvent = Event | WebhookTest
