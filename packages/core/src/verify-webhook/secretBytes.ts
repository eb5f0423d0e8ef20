import { WebhookVerificationError } from "./WebhookVerificationError.ts"

const prefix = "whsec_"
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The bytes of base64 with padding; undefined if the text is anything else. */
export const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  base64.test(text) ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) : undefined

const problemOf = (secret: unknown): string => {
  if (typeof secret !== "string") return `The secret is ${secret === null ? "null" : `of type ${typeof secret}`}`
  if (secret !== secret.trim()) return "The secret has white space around it"
  if (!secret.startsWith(prefix)) return "The secret does not start with whsec_"
  return "The secret is not whsec_ with 24 to 64 bytes in base64"
}

/** The bytes of a secret of Standard Webhooks. */
export const secretBytes = (secret: unknown): Uint8Array<ArrayBuffer> => {
  if (typeof secret === "string" && secret.startsWith(prefix)) {
    const bytes = bytesOfBase64(secret.slice(prefix.length))
    if (bytes !== undefined && bytes.length >= 24 && bytes.length <= 64) return bytes
  }
  throw new WebhookVerificationError(
    "invalid_secret",
    `${problemOf(secret)}. Pass the secret of the endpoint as it was shown when the endpoint was created or its secret rotated.`
  )
}
