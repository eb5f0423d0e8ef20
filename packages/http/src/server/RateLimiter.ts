import { RateLimited } from "@petstore/core/domain"
import type { Clock } from "effect"

interface Bucket {
  tokens: number
  /** When its tokens were counted, in milliseconds. */
  at: number
}

const minute = 60_000

/** A token bucket for each key: a minute's requests at once, and then as they come back. */
export class RateLimiter {
  private readonly perMinute: number
  private readonly clock: Clock.Clock
  private readonly policy: string
  private readonly buckets = new Map<number, Bucket>()

  constructor(perMinute: number, clock: Clock.Clock) {
    this.perMinute = perMinute
    this.clock = clock
    this.policy = `"default";q=${perMinute};w=60`
  }

  /** Takes one request of a key, and says in the headers what is left; a refusal where nothing was. */
  spend(keyId: number, headers: Array<string>): RateLimited | undefined {
    const bucket = this.refilled(keyId)
    const allowed = bucket.tokens >= 1
    if (allowed) bucket.tokens -= 1
    const remaining = Math.floor(bucket.tokens)
    const seconds = Math.ceil(((remaining + 1 - bucket.tokens) * minute) / this.perMinute / 1000)
    headers.push("RateLimit-Policy", this.policy, "RateLimit", `"default";r=${remaining};t=${seconds}`)
    return allowed ? undefined : new RateLimited({ retryAfterSeconds: seconds })
  }

  private refilled(keyId: number): Bucket {
    const now = this.clock.currentTimeMillisUnsafe()
    const bucket = this.buckets.get(keyId)
    if (bucket === undefined) {
      const full = { tokens: this.perMinute, at: now }
      this.buckets.set(keyId, full)
      return full
    }
    // A clock that is set back gives nothing, and takes nothing.
    const elapsed = Math.max(0, now - bucket.at)
    bucket.tokens = Math.min(this.perMinute, bucket.tokens + (elapsed * this.perMinute) / minute)
    bucket.at = now
    return bucket
  }
}
