import { sha256 } from "@noble/hashes/sha2.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

const utf8 = new TextEncoder()

/** Hashing and secure randomness of the platform. The engine hashes before it opens a transaction. */
export class Hasher extends Context.Service<
  Hasher,
  {
    /** SHA-256 of the text in UTF-8. It waits for nothing, since a host may run the whole call in a transaction of its own. */
    readonly sha256: (text: string) => Effect.Effect<Uint8Array>
    /** Bytes that nobody can guess. */
    readonly randomBytes: (length: number) => Uint8Array
  }
>()("@petstore/core/ports/Hasher") {
  /** In plain JavaScript, for every runtime. */
  static readonly portable: Hasher["Service"] = {
    sha256: (text) => Effect.sync(() => sha256(utf8.encode(text))),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length))
  }
}
