import { secretOption } from "../../../domain/options.ts"
import { base64urlOf, bytesOfBase64url } from "../../../domain/webhooks/secrets/Envelope.ts"
import type { Hasher } from "../../../ports/Hasher.ts"

/** A key, and the id by which what it has encrypted names it. */
export interface SecretKey {
  readonly id: string
  readonly bytes: Uint8Array
}

/** Whether a value is the text of a key. */
export const isSecretKey = (value: unknown): boolean =>
  typeof value === "string" && /^[A-Za-z0-9+/_-]{43}=?$/.test(value)

/** An option that takes a key, or several: the first one encrypts, and all decrypt. */
export const secretKeyOption = secretOption<string | ReadonlyArray<string>>(
  "32 random bytes in base64, as `openssl rand -base64 32` prints them, or an array of such keys",
  (value) => isSecretKey(value) || (Array.isArray(value) && value.length > 0 && value.every(isSecretKey))
)

/** The keys of an option, in its order. The id of a key is a part of its digest: the same everywhere, and no secret. */
export const secretKeys = (
  option: string | ReadonlyArray<string>,
  { sha256 }: Hasher["Service"]
): ReadonlyArray<SecretKey> =>
  (typeof option === "string" ? [option] : option).map((text) => {
    const bytes = bytesOfBase64url(text)
    return { id: base64urlOf(sha256(`petstore secret key ${base64urlOf(bytes)}`).subarray(0, 6)), bytes }
  })
