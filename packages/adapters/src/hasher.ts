import { hash, randomBytes } from "node:crypto"
import type { Hasher } from "@petstore/core/ports"

/** Hashes with `node:crypto`, which is synchronous. */
export const hasher: Hasher["Service"] = {
  sha256: (text) => hash("sha256", text, "buffer"),
  // Text costs a third of a Buffer, whose bytes are outside of the heap.
  fingerprint: (text) => hash("sha256", text, "binary"),
  randomBytes: (length) => new Uint8Array(randomBytes(length))
}
