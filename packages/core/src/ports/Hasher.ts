import * as Context from "effect/Context"

/** Hashing and secure random bytes of the platform. */
export class Hasher extends Context.Service<
  Hasher,
  {
    /** The SHA-256 of the text in UTF-8. Commands, which are synchronous, compute it. */
    readonly sha256: (text: string) => Uint8Array
    /** The SHA-256 of the text in UTF-8 as 32 characters, one for each byte: a key to find what belongs to a secret in memory. */
    readonly fingerprint: (text: string) => string
    /** Cryptographically secure random bytes. */
    readonly randomBytes: (length: number) => Uint8Array
  }
>()("@petstore/core/ports/Hasher") {}
