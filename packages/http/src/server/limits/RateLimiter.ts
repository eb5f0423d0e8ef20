import { RateLimited, shown } from "@petstore/core/domain"
import type * as Clock from "effect/Clock"
import type { Caller } from "../authentication/authentication.ts"

interface Bucket {
  /** The requests that are left, in 60,000ths of a request: each millisecond adds a whole number of them. */
  credit: number
  /** When the credit was computed, in milliseconds. */
  at: number
}

/** One request, in the unit of `credit`. */
const requestCredit = 60_000

const minuteMillis = 60_000

const refusal = (callerId: Caller["id"], retryAfterSeconds: number): RateLimited =>
  new RateLimited(
    { retryAfterSeconds },
    typeof callerId === "string" ? { message: `Too many requests. Retry after ${retryAfterSeconds} s.` } : undefined
  )

/**
 * A token bucket for each key, which holds the requests of one minute. An unused bucket is full after a minute, so only those
 * of the last two minutes are kept. Each server counts for itself: a limit for all would write to a shared store for each request.
 */
export class RateLimiter {
  private readonly perMinute: number
  private readonly clock: Clock.Clock
  private readonly policy: string
  private recent = new Map<Caller["id"], Bucket>()
  private older = new Map<Caller["id"], Bucket>()
  /** When `recent` was emptied the last time, in milliseconds. */
  private rotatedAt: number

  constructor(perMinute: number, clock: Clock.Clock) {
    if (!Number.isSafeInteger(perMinute) || perMinute < 1) {
      throw new TypeError(`rateLimit must be a whole number of requests per minute, or "off", not ${shown(perMinute)}`)
    }
    this.perMinute = perMinute
    this.clock = clock
    this.rotatedAt = clock.currentTimeMillisUnsafe()
    this.policy = `"default";q=${perMinute};w=60`
  }

  /** Counts one request of a key, and adds the `RateLimit` headers. Returns an error if the bucket was empty. */
  spend(callerId: Caller["id"], headers: Array<string>): RateLimited | undefined {
    const bucket = this.refilled(callerId)
    const allowed = bucket.credit >= requestCredit
    if (allowed) bucket.credit -= requestCredit
    const remaining = Math.floor(bucket.credit / requestCredit)
    const seconds = Math.ceil(((remaining + 1) * requestCredit - bucket.credit) / (this.perMinute * 1000))
    headers.push("RateLimit-Policy", this.policy, "RateLimit", `"default";r=${remaining};t=${seconds}`)
    return allowed ? undefined : refusal(callerId, seconds)
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.recent.size + this.older.size
  }

  private refilled(callerId: Caller["id"]): Bucket {
    const now = this.clock.currentTimeMillisUnsafe()
    const capacity = this.perMinute * requestCredit
    this.forgetIdle(now)
    const bucket = this.recent.get(callerId) ?? this.recall(callerId, capacity, now)
    // A clock that is set back adds no credit, and takes none.
    const elapsed = Math.max(0, now - bucket.at)
    bucket.credit = Math.min(capacity, bucket.credit + elapsed * this.perMinute)
    bucket.at = now
    return bucket
  }

  /** Moves the bucket of a key to the recent ones; a full one if there is none. */
  private recall(callerId: Caller["id"], capacity: number, now: number): Bucket {
    const bucket = this.older.get(callerId) ?? { credit: capacity, at: now }
    this.older.delete(callerId)
    this.recent.set(callerId, bucket)
    return bucket
  }

  private forgetIdle(now: number): void {
    // If the clock was set back, keys would be kept until it reaches its former time.
    if (now >= this.rotatedAt && now - this.rotatedAt < minuteMillis) return
    this.older = this.recent
    this.recent = new Map()
    this.rotatedAt = now
  }
}
