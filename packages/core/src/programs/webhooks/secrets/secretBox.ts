import { xchacha20poly1305 } from "@noble/ciphers/chacha.js"
import { type Envelope, formatEnvelope } from "../../../domain/webhooks/secrets/Envelope.ts"
import type { Hasher } from "../../../ports/Hasher.ts"
import type { SecretKey } from "./secretKeys.ts"

const nonceLength = 24

const utf8 = new TextEncoder()

/** Encrypts texts for one place each: in another place, or with another key, they cannot be read. */
export interface SecretBox {
  /** The ids of its keys. The first one encrypts. */
  readonly keyIds: readonly [string, ...ReadonlyArray<string>]
  readonly seal: (text: string, place: string) => string
  /** The text; undefined if the envelope was changed, or belongs to another place. Only for an envelope of one of its keys. */
  readonly open: (envelope: Envelope, place: string) => string | undefined
}

/** What is authenticated beside the text: the form, the key and the place. */
const contextOf = (keyId: string, place: string): Uint8Array => utf8.encode(`petstore v1 ${keyId} ${place}`)

/**
 * XChaCha20-Poly1305: its nonces are long enough to be random, and in plain JavaScript it is as fast and leaks no more
 * through time than anywhere else, so there is one implementation for every runtime.
 */
export const secretBox = (
  [first, ...others]: readonly [SecretKey, ...ReadonlyArray<SecretKey>],
  { randomBytes }: Hasher["Service"]
): SecretBox => {
  const bytesOf = new Map([first, ...others].map(({ bytes, id }) => [id, bytes]))
  return {
    keyIds: [first.id, ...others.map(({ id }) => id)],
    seal: (text, place) => {
      const nonce = randomBytes(nonceLength)
      const sealed = xchacha20poly1305(first.bytes, nonce, contextOf(first.id, place)).encrypt(utf8.encode(text))
      return formatEnvelope({ keyId: first.id, bytes: Uint8Array.of(...nonce, ...sealed) })
    },
    open: ({ bytes, keyId }, place) => {
      const key = bytesOf.get(keyId)
      if (key === undefined) return undefined
      try {
        const cipher = xchacha20poly1305(key, bytes.subarray(0, nonceLength), contextOf(keyId, place))
        return new TextDecoder().decode(cipher.decrypt(bytes.subarray(nonceLength)))
      } catch {
        return undefined
      }
    }
  }
}
