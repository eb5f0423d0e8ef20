import type { Event } from "../domain/Event.ts"

/** What an operator sends to test an endpoint. It is in no event log, so it has no `seq`. */
export interface WebhookTest {
  readonly id: string
  readonly type: "webhook.test"
  readonly timestamp: string
  readonly subject: string
  /** The id of the endpoint. */
  readonly data: { readonly id: number }
}

/** What webhooks carry: an event, or a test. Its `type` determines its `data`. */
export type WebhookEvent = Event | WebhookTest
