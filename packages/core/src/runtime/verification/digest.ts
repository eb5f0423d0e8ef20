/** A digest of a text and of the digest before it. */
export const mix = (before: number, text: string): number => {
  let high = 0xdeadbeef ^ Math.trunc(before / 2 ** 32)
  let low = 0x41c6ce57 ^ (before >>> 0)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 2 ** 32 * (high & 0x1fffff) + (low >>> 0)
}

/** Digests are added and subtracted in any order, as whole numbers below this. */
const modulus = 2 ** 52

export const digestOf = (...texts: ReadonlyArray<number | string>): number => mix(0, JSON.stringify(texts)) % modulus

/** The digest of two sets together. */
export const plus = (a: number, b: number): number => (a + b) % modulus

/** The digest of a set without a part of it. */
export const minus = (a: number, b: number): number => (a - b + modulus) % modulus
