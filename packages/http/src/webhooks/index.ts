/** What sends webhooks, for Node.js. */

export type { ResolveName, WebhookSenderOptions } from "./WebhookSenderOptions.ts"
export { webhookSender } from "./webhookSender.ts"
