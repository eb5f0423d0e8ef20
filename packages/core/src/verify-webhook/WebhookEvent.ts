export type { WebhookEvent, WebhookTest } from "../domain/Webhook.ts"
