import { sha256 } from "@noble/hashes/sha2.js"
import * as Effect from "effect/Effect"
import type { Hasher } from "../ports/Hasher.ts"

const utf8 = new TextEncoder()

/** A {@link Hasher} in plain JavaScript, for every runtime. Web Crypto digests asynchronously only, so SHA-256 is of `@noble/hashes`. */
export const portableHasher: Hasher["Service"] = {
  sha256: (text) => Effect.sync(() => sha256(utf8.encode(text))),
  fingerprint: (text) => String.fromCharCode(...sha256(utf8.encode(text))),
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length))
}
