import { limits } from "../../domain/limits.ts"
import type { AttemptOutcome } from "../../programs/webhooks/attempt.ts"

/** Milliseconds. A longer `Retry-After` holds back only the delivery that it was for. */
const longestPauseMillis = 60 * 60_000

/**
 * How fast this process sends to an endpoint. Each attempt without a response halves how many are made at a time, down to one that
 * probes whether the endpoint is back; each response doubles it again. After `Retry-After`, all attempts wait. It is not
 * stored: every process learns it from its own attempts.
 */
export class EndpointPace {
  private most: number = limits.webhookConcurrency
  private resumesAt = Number.NEGATIVE_INFINITY

  /** How many attempts are made at a time, over all processes, to an endpoint with this `concurrency`. */
  allowed(concurrency: number): number {
    return Math.min(this.most, concurrency)
  }

  /** Milliseconds until attempts are made. `now` is in milliseconds of a clock that is never set, as in {@link note}. */
  pauseAt(now: number): number {
    return Math.max(0, Math.ceil(this.resumesAt - now))
  }

  /** Notes how an attempt has ended. */
  note(outcome: AttemptOutcome, concurrency: number, now: number): void {
    const allowed = this.allowed(concurrency)
    if (outcome.delivered) {
      this.most = 2 * allowed
    } else if (outcome.reason === "timeout" || outcome.reason === "connection") {
      this.most = Math.max(1, Math.floor(allowed / 2))
    } else if (outcome.retryAfter !== undefined && outcome.retryAfter > 0) {
      this.most = 1
      this.resumesAt = Math.max(this.resumesAt, now + Math.min(outcome.retryAfter * 1_000, longestPauseMillis))
    } else if (outcome.status !== undefined) {
      this.most = 2 * allowed
    }
  }
}
