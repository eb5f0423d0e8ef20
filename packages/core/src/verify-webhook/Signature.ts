import { bytesOfBase64, secretBytes } from "./secretBytes.ts"

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
