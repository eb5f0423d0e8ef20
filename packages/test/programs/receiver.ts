import { signWebhook, verifyWebhook, WebhookVerificationError } from "@petstore/core/verify-webhook"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

/** What a receiver does with a webhook, and with one that was changed on its way. */
export const receive = async () => {
  const timestamp = Math.floor(Date.now() / 1000)
  const event = { id: "evt_1", type: "pet.deleted", timestamp: new Date().toISOString(), seq: 1, subject: "pets/7" }
  const body = JSON.stringify({ ...event, data: { id: 7 } })
  const headers = new Headers(await signWebhook(secret, { id: "evt_1", timestamp, body }))
  const { type: verified } = await verifyWebhook(secret, headers, new TextEncoder().encode(body))
  const refused = await verifyWebhook(secret, headers, body.replace("7", "8")).catch(
    (error: unknown) => error instanceof WebhookVerificationError && error.code
  )
  return { verified, refused }
}
