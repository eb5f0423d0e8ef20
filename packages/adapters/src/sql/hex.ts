// The digits 0 to 9 have the codes 48 to 57, and the letters those of 1 to 6 above 64 or 96.
const digit = (code: number): number => (code & 15) + (code >> 6) * 9

/** The bytes that a text has as hexadecimal digits from a position on. */
export const bytesOfHex = (text: string, from = 0): Uint8Array => {
  const bytes = new Uint8Array((text.length - from) >> 1)
  for (let index = 0, at = from; index < bytes.length; index++, at += 2) {
    bytes[index] = (digit(text.charCodeAt(at)) << 4) | digit(text.charCodeAt(at + 1))
  }
  return bytes
}
