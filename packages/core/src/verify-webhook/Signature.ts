import { WebhookVerificationError } from "./WebhookVerificationError.ts"

const prefix = "whsec_"
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The bytes of base64 with padding; undefined if the text is anything else. */
const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  base64.test(text) ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) : undefined

const problemOf = (secret: unknown): string => {
  if (typeof secret !== "string") return `The secret is ${secret === null ? "null" : `of type ${typeof secret}`}`
  if (secret !== secret.trim()) return "The secret has white space around it"
  if (!secret.startsWith(prefix)) return "The secret does not start with whsec_"
  return "The secret is not whsec_ with 24 to 64 bytes in base64"
}

/** The bytes of a secret of Standard Webhooks. */
const secretBytes = (secret: unknown): Uint8Array<ArrayBuffer> => {
  if (typeof secret === "string" && secret.startsWith(prefix)) {
    const bytes = bytesOfBase64(secret.slice(prefix.length))
    if (bytes !== undefined && bytes.length >= 24 && bytes.length <= 64) return bytes
  }
  throw new WebhookVerificationError(
    "invalid_secret",
    `${problemOf(secret)}. Pass the secret of the endpoint as it was shown when the endpoint was created or its secret rotated.`
  )
}

/** What a signature covers. */
export interface SignedContent {
  /** The header `webhook-id`. */
  readonly id: string
  /** The header `webhook-timestamp`: seconds since 1970. */
  readonly timestamp: number
  /** The bytes of the body, or its text. */
  readonly body: string | Uint8Array
}

const encoder = new TextEncoder()

const bytesOf = ({ body, id, timestamp }: SignedContent): Uint8Array<ArrayBuffer> => {
  const head = encoder.encode(`${id}.${timestamp}.`)
  const tail = typeof body === "string" ? encoder.encode(body) : body
  const bytes = new Uint8Array(head.length + tail.length)
  bytes.set(head)
  bytes.set(tail, head.length)
  return bytes
}

const keyOf = (secret: unknown, usage: "sign" | "verify"): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", secretBytes(secret), { name: "HMAC", hash: "SHA-256" }, false, [usage])

/** One signature of the header `webhook-signature`. */
export const signatureOf = async (secret: unknown, content: SignedContent): Promise<string> => {
  const mac = await crypto.subtle.sign("HMAC", await keyOf(secret, "sign"), bytesOf(content))
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`
}

/** 32 bytes in base64, in the one form that encoders write. */
const mac = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/

/** Whether one of the signatures was made with one of the secrets. Web Crypto compares in constant time. */
export const isSigned = async (
  secrets: ReadonlyArray<unknown>,
  content: SignedContent,
  signatures: ReadonlyArray<string>
): Promise<boolean> => {
  const keys = await Promise.all(secrets.map((secret) => keyOf(secret, "verify")))
  const bytes = bytesOf(content)
  for (const signature of signatures) {
    const given = bytesOfBase64(mac.exec(signature)?.[1] ?? "")
    if (given === undefined || given.length === 0) continue
    for (const key of keys) if (await crypto.subtle.verify("HMAC", key, given, bytes)) return true
  }
  return false
}
