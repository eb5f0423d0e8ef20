import type { Hasher } from "@petstore/core/ports"
import { portableHasher } from "@petstore/core/runtime"

/** Mulberry32: small, fast, and the same everywhere. It is not for secrets. */
export const mulberry32 = (seed: number) => {
  let state = seed | 0
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return mixed ^ (mixed >>> 14)
  }
}

/** Hashes as `hasher` does, with bytes that are the same for the same seed. */
export const seededHasher = (seed: number, hasher: Hasher["Service"] = portableHasher): Hasher["Service"] => {
  const next = mulberry32(seed)
  return { ...hasher, randomBytes: (length) => Uint8Array.from({ length }, next) }
}
