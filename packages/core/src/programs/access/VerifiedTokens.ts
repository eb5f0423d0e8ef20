import type { Hasher } from "../../ports/Hasher.ts"

/** What a token of an API key says. */
export interface VerifiedToken {
  readonly id: number
  /** The digest of its secret. */
  readonly digest: Uint8Array
}

/** The most tokens that are remembered. */
const capacity = 1_000

/**
 * Remembers what the tokens of accepted requests say, so that their next requests need one hash, and neither parse nor
 * verify the checksum. Whether the key is still valid is not remembered. Keeps no token: only its SHA-256.
 */
export class VerifiedTokens {
  private readonly fingerprint: Hasher["Service"]["fingerprint"]
  /** In the order in which they were accepted first. */
  private readonly byFingerprint = new Map<string, VerifiedToken>()

  constructor({ fingerprint }: Hasher["Service"]) {
    this.fingerprint = fingerprint
  }

  get size(): number {
    return this.byFingerprint.size
  }

  find(token: string): VerifiedToken | undefined {
    return this.byFingerprint.get(this.fingerprint(token))
  }

  /** Remembers a token. Only for one that was accepted: or others could fill the memory. */
  add(token: string, verified: VerifiedToken): void {
    if (this.byFingerprint.size >= capacity) this.deleteOldest()
    this.byFingerprint.set(this.fingerprint(token), verified)
  }

  delete(token: string): void {
    this.byFingerprint.delete(this.fingerprint(token))
  }

  private deleteOldest(): void {
    const [oldest] = this.byFingerprint.keys()
    if (oldest !== undefined) this.byFingerprint.delete(oldest)
  }
}
