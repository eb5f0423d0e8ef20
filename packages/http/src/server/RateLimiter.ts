import { RateLimited } from "@petstore/core/domain"
import type { Clock } from "effect"
import type { Caller } from "./Authenticator.ts"

interface Bucket {
  /** What is left, in such parts of a request that a millisecond gives back a whole number of them. */
  credit: number
  /** When that was counted, in milliseconds. */
  at: number
}

/** The parts of one request: as many as a minute has milliseconds. */
const whole = 60_000

/** A token bucket for each key: a minute's requests at once, and then as they come back. */
export class RateLimiter {
  private readonly perMinute: number
  private readonly clock: Clock.Clock
  private readonly policy: string
  private readonly buckets = new Map<Caller["id"], Bucket>()

  constructor(perMinute: number, clock: Clock.Clock) {
    if (!Number.isSafeInteger(perMinute) || perMinute < 1) {
      throw new TypeError(`rateLimit must be a whole number of requests per minute, or "off": ${perMinute}`)
    }
    this.perMinute = perMinute
    this.clock = clock
    this.policy = `"default";q=${perMinute};w=60`
  }

  /** Takes one request of a key, and says in the headers what is left; a refusal where nothing was. */
  spend(callerId: Caller["id"], headers: Array<string>): RateLimited | undefined {
    const bucket = this.refilled(callerId)
    const allowed = bucket.credit >= whole
    if (allowed) bucket.credit -= whole
    const remaining = Math.floor(bucket.credit / whole)
    const seconds = Math.ceil(((remaining + 1) * whole - bucket.credit) / (this.perMinute * 1000))
    headers.push("RateLimit-Policy", this.policy, "RateLimit", `"default";r=${remaining};t=${seconds}`)
    return allowed ? undefined : new RateLimited({ retryAfterSeconds: seconds })
  }

  private refilled(callerId: Caller["id"]): Bucket {
    const now = this.clock.currentTimeMillisUnsafe()
    const capacity = this.perMinute * whole
    const bucket = this.buckets.get(callerId)
    if (bucket === undefined) {
      const full = { credit: capacity, at: now }
      this.buckets.set(callerId, full)
      return full
    }
    // A clock that is set back gives nothing, and takes nothing.
    const elapsed = Math.max(0, now - bucket.at)
    bucket.credit = Math.min(capacity, bucket.credit + elapsed * this.perMinute)
    bucket.at = now
    return bucket
  }
}
