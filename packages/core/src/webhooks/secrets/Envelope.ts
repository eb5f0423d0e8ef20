import { base64urlOf, bytesOfBase64url } from "./base64url.ts"

/** An encrypted text as it is stored: which key has encrypted it, then its nonce, ciphertext and tag. */
export interface Envelope {
  readonly keyId: string
  readonly bytes: Uint8Array
}

/** Whether a stored text is encrypted, in whatever version. No URL and no secret begins like that. */
export const isSealed = (text: string): boolean => /^(?:whsec_)?sealed\./.test(text)

export const formatEnvelope = ({ bytes, keyId }: Envelope): string => `sealed.v1.${keyId}.${base64urlOf(bytes)}`

/** The envelope in a stored text, which begins with `whsec_` in a column of secrets; undefined if it has another form. */
export const parseEnvelope = (text: string): Envelope | undefined => {
  const [, keyId, contents] = /^(?:whsec_)?sealed\.v1\.([A-Za-z0-9_-]{8})\.([A-Za-z0-9_-]{54,})$/.exec(text) ?? []
  if (keyId === undefined || contents === undefined || contents.length % 4 === 1) return undefined
  const envelope = { keyId, bytes: bytesOfBase64url(contents) }
  // Of several texts that decode to the same bytes, only the one that was written.
  return text.endsWith(formatEnvelope(envelope)) ? envelope : undefined
}
