/**
 * The text of an API key: `psk_<id>_<secret><checksum>`. The checksum lets mistyped keys be rejected, and scanners for leaked
 * secrets recognize keys, without a query to the store.
 */

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Digits of base 62 that hold 256 bits, and 32 bits. */
const secretLength = 43
const checksumLength = 6

const token = /^psk_([1-9][0-9]{0,15})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

/** The length of the longest token. */
export const maxTokenLength = 4 + 16 + 1 + secretLength + checksumLength

const makeCrcTable = (): Uint32Array =>
  Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    return crc
  })
let crcTable: Uint32Array | undefined

/** CRC-32 (ISO 3309) of ASCII text. */
export const crc32 = (text: string): number => {
  crcTable ??= makeCrcTable()
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) crc = (crc >>> 8) ^ (crcTable[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}

const checksum = (body: string): string => {
  let digits = ""
  for (let rest = crc32(body); digits.length < checksumLength; rest = Math.floor(rest / 62)) {
    digits = alphabet[rest % 62] + digits
  }
  return digits
}

/** The secret part of a key, from 32 random bytes. */
export const secretFromBytes = (bytes: Uint8Array): string => {
  let rest = bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
  let digits = ""
  for (; digits.length < secretLength; rest /= 62n) digits = alphabet[Number(rest % 62n)] + digits
  return digits
}

/** The whole key, which is shown once. */
export const formatToken = (id: number, secret: string): string => {
  const body = `psk_${id}_${secret}`
  return body + checksum(body)
}

/** The id and the secret in a key; undefined if the text is not a key or was mistyped. */
export const parseToken = (text: string): { readonly id: number; readonly secret: string } | undefined => {
  const match = token.exec(text)
  if (match === null) return undefined
  const [, id = "", secret = ""] = match
  const parsed = { id: Number(id), secret }
  return Number.isSafeInteger(parsed.id) && formatToken(parsed.id, secret) === text ? parsed : undefined
}

/** Compares two digests in constant time. */
export const equalDigests = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0)
  return difference === 0
}
