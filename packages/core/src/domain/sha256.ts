// FIPS 180-4. In plain code because Web Crypto only digests asynchronously, and the body of a transaction waits for
// nothing but its store.

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const roundConstants = Uint32Array.of(
  ...[0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5],
  ...[0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174],
  ...[0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da],
  ...[0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967],
  ...[0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85],
  ...[0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070],
  ...[0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3],
  ...[0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2]
)

const blockBytes = 64

/** The text in UTF-8, a one bit, zeros, and the length in bits: whole blocks. */
const padded = (text: string): DataView => {
  const bytes = new TextEncoder().encode(text)
  const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / blockBytes) * blockBytes)
  blocks.set(bytes)
  blocks[bytes.length] = 0x80
  const view = new DataView(blocks.buffer)
  view.setBigUint64(blocks.length - 8, BigInt(bytes.length) * 8n)
  return view
}

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

/** SHA-256 of the text in UTF-8. */
export const sha256 = (text: string): Uint8Array => {
  const blocks = padded(text)
  const state = Uint32Array.of(
    ...[0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]
  )
  const words = new Uint32Array(64)
  const word = (index: number): number => words[index] ?? 0

  for (let offset = 0; offset < blocks.byteLength; offset += blockBytes) {
    for (let i = 0; i < 16; i++) words[i] = blocks.getUint32(offset + 4 * i)
    for (let i = 16; i < 64; i++) {
      const [w2, w15] = [word(i - 2), word(i - 15)]
      const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3)
      const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10)
      words[i] = word(i - 16) + s0 + word(i - 7) + s1
    }

    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    for (let i = 0; i < 64; i++) {
      const choice = (e & f) ^ (~e & g)
      const majority = (a & b) ^ (a & c) ^ (b & c)
      const t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (roundConstants[i] ?? 0) + word(i)
      const t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    for (const [i, sum] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] ?? 0) + sum
  }

  const digest = new DataView(new ArrayBuffer(32))
  for (const [i, part] of state.entries()) digest.setUint32(4 * i, part)
  return new Uint8Array(digest.buffer)
}
