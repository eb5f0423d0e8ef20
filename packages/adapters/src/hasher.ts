import { hash, randomBytes } from "node:crypto"
import type { Hasher } from "@petstore/core/ports"
import * as Effect from "effect/Effect"

/** Over `node:crypto`, whose digest is synchronous. */
export const hasher: Hasher["Service"] = {
  sha256: (text) => Effect.sync(() => hash("sha256", text, "buffer")),
  randomBytes: (length) => new Uint8Array(randomBytes(length))
}
