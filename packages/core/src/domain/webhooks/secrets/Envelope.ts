/** Bytes as base64url without padding. */
export const base64urlOf = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=/g, "")

/** The bytes of base64 or base64url of a valid length, with or without padding. */
export const bytesOfBase64url = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0))

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
