import { type SignedContent, signatureOf } from "./Signature.ts"

/** The headers that sign a webhook. */
export type SignedHeaders = Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>>

/**
 * Makes the headers that a petstore sends with a webhook, for tests of receivers. With several secrets, the request has a
 * signature for each. Rejects with a `WebhookVerificationError` whose code is `invalid_secret` if one is not a secret.
 *
 * @example
 * ```ts
 * import { signWebhook } from "@petstore/core/verify-webhook"
 *
 * const body = JSON.stringify({ id: "evt_1", type: "pet.deleted", data: { id: 7 } })
 * const headers = await signWebhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", { id: "evt_1", timestamp: 1_614_265_330, body })
 * headers["webhook-id"] // => "evt_1"
 * ```
 */
export const signWebhook = async (
  secret: string | ReadonlyArray<string>,
  content: SignedContent
): Promise<SignedHeaders> => {
  const signatures = await Promise.all([secret].flat().map((one) => signatureOf(one, content)))
  return {
    "webhook-id": content.id,
    "webhook-timestamp": String(content.timestamp),
    "webhook-signature": signatures.join(" ")
  }
}
