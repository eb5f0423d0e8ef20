import { RateLimited } from "@petstore/core/domain"
import type * as Clock from "effect/Clock"
import type { Caller } from "../authentication/Authenticator.ts"

interface Bucket {
  /** What is left, in such parts of a request that a millisecond gives back a whole number of them. */
  credit: number
  /** When that was counted, in milliseconds. */
  at: number
}

/** The parts of one request: as many as a minute has milliseconds. */
const whole = 60_000

const minute = 60_000

const refusal = (callerId: Caller["id"], retryAfterSeconds: number): RateLimited =>
  new RateLimited(
    { retryAfterSeconds },
    typeof callerId === "string" ? { message: `Too many requests. Retry after ${retryAfterSeconds} s.` } : undefined
  )

/**
 * A token bucket for each key: a minute's requests at once, and then as they come back. A bucket that is left alone for a
 * minute is full again, so only those of the last two minutes are remembered.
 */
export class RateLimiter {
  private readonly perMinute: number
  private readonly clock: Clock.Clock
  private readonly policy: string
  private recent = new Map<Caller["id"], Bucket>()
  private older = new Map<Caller["id"], Bucket>()
  /** Since when there are recent ones. */
  private turnedAt: number

  constructor(perMinute: number, clock: Clock.Clock) {
    if (!Number.isSafeInteger(perMinute) || perMinute < 1) {
      throw new TypeError(`rateLimit must be a whole number of requests per minute, or "off": ${perMinute}`)
    }
    this.perMinute = perMinute
    this.clock = clock
    this.turnedAt = clock.currentTimeMillisUnsafe()
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
    return allowed ? undefined : refusal(callerId, seconds)
  }

  /** How many keys it remembers. */
  get size(): number {
    return this.recent.size + this.older.size
  }

  private refilled(callerId: Caller["id"]): Bucket {
    const now = this.clock.currentTimeMillisUnsafe()
    const capacity = this.perMinute * whole
    this.forgetIdle(now)
    const bucket = this.recent.get(callerId) ?? this.older.get(callerId) ?? { credit: capacity, at: now }
    this.recent.set(callerId, bucket)
    this.older.delete(callerId)
    // A clock that is set back gives nothing, and takes nothing.
    const elapsed = Math.max(0, now - bucket.at)
    bucket.credit = Math.min(capacity, bucket.credit + elapsed * this.perMinute)
    bucket.at = now
    return bucket
  }

  private forgetIdle(now: number): void {
    // Where the clock was set back, waiting for the time of before would keep every key until then.
    if (now >= this.turnedAt && now - this.turnedAt < minute) return
    this.older = this.recent
    this.recent = new Map()
    this.turnedAt = now
  }
}
