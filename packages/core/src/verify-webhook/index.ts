/** For receivers of webhooks, on any runtime with Web Crypto. It loads neither the petstore nor the client. */

export type { WebhookEvent, WebhookTest } from "../domain/webhooks/Webhook.ts"
export type { SignedContent } from "./Signature.ts"
export { type SignedHeaders, signWebhook } from "./signWebhook.ts"
export { type VerifyWebhookOptions, verifyWebhook } from "./verifyWebhook.ts"
export type { WebhookHeaders } from "./WebhookHeaders.ts"
export { type WebhookVerificationCode, WebhookVerificationError } from "./WebhookVerificationError.ts"
