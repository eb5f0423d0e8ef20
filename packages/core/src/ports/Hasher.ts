import { Context, Effect } from "effect"

/** Hashing and secure randomness of the platform. Used before transactions, never inside. */
export class Hasher extends Context.Service<
  Hasher,
  {
    /** SHA-256 of the text in UTF-8. */
    readonly sha256: (text: string) => Effect.Effect<Uint8Array>
    /** Bytes that nobody can guess. */
    readonly randomBytes: (length: number) => Uint8Array
  }
>()("@petstore/core/ports/Hasher") {
  /** Over Web Crypto, which every runtime has; its digest is asynchronous. */
  static readonly webCrypto: Hasher["Service"] = {
    sha256: (text) =>
      Effect.map(
        Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
        (digest) => new Uint8Array(digest)
      ),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length))
  }
}
