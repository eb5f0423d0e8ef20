import { sha256 } from "#sha256"
import type { Hasher } from "../ports/Hasher.ts"

const utf8 = new TextEncoder()

/** A {@link Hasher} for every runtime. Web Crypto digests asynchronously only, so SHA-256 is of Node.js where there is one, else of `@noble/hashes`. */
export const portableHasher: Hasher["Service"] = {
  sha256: (text) => sha256(utf8.encode(text)),
  fingerprint: (text) => Reflect.apply(String.fromCharCode, undefined, sha256(utf8.encode(text))),
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length))
}
