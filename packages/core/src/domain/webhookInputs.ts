import { DeliveryFilter, Redelivery } from "./Delivery.ts"
import { PageQuery } from "./Filters.ts"
import { Id } from "./Id.ts"
import type { MethodInputs } from "./MethodInput.ts"
import { NewWebhook, WebhookRotation, WebhookUpdate } from "./Webhook.ts"

/** What the methods of `webhooks` take. */
export const webhookInputs = {
  create: { body: NewWebhook },
  get: { path: { webhookId: Id } },
  list: { query: PageQuery },
  update: { path: { webhookId: Id }, body: WebhookUpdate, options: { ifVersion: true } },
  delete: { path: { webhookId: Id }, options: { idempotencyKey: true, ifVersion: true } },
  rotateSecret: { path: { webhookId: Id }, body: WebhookRotation, bodyIsOptional: true },
  test: { path: { webhookId: Id } },
  deliveries: { path: { webhookId: Id }, query: DeliveryFilter },
  redeliver: { path: { webhookId: Id }, body: Redelivery }
} as const satisfies MethodInputs
