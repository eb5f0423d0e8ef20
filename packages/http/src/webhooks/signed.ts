import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import { WebhookVerificationError } from "@petstore/core/verify-webhook"

/** How many secrets the keys of are kept: endpoints come and go, and rotate their secrets. */
const mostKeys = 1_000

const keys = new Map<string, KeyObject>()

const prefix = "whsec_"

const bytesOf = (secret: string): Buffer => {
  const base64 = secret.slice(prefix.length)
  const bytes = Buffer.from(base64, "base64")
  const isSecret = bytes.length >= 24 && bytes.length <= 64 && secret === prefix + bytes.toString("base64")
  if (!isSecret) {
    throw new WebhookVerificationError("invalid_secret", "The secret is not whsec_ with 24 to 64 bytes in base64")
  }
  return bytes
}

/** The key of a secret. It is kept, since every request to the endpoint is signed with it. */
const keyOf = (secret: string): KeyObject => {
  let key = keys.get(secret)
  if (key === undefined) {
    key = createSecretKey(bytesOf(secret))
    if (keys.size >= mostKeys) keys.clear()
    keys.set(secret, key)
  }
  return key
}

/** The headers of `signWebhook` of `@petstore/core/verify-webhook`, made at once. */
export const signed = (secrets: ReadonlyArray<string>, id: string, timestamp: number, body: string) => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": secrets
    .map((secret) => `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64")}`)
    .join(" ")
})
