import type { PetstoreError } from "@petstore/core/domain"
import type * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds between two log entries about failures with the same code, and without a failure until they have ended. */
const intervalMillis = 10_000

interface Failures {
  /** How many there were beside the first one, which is logged by itself. */
  more: number
  /** How many of those were logged. */
  logged: number
  loggedAt: number
  lastAt: number
}

/**
 * Logs requests that fail with the status 503, such as while the database is away: the first with its cause, then how many
 * more there were, and once that there are no more.
 */
export class UnavailableLog {
  private readonly clock: Clock.Clock
  /** Whether failures have not ended yet. */
  isFailing = false
  private readonly failures = new Map<PetstoreError["code"], Failures>()

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** The entry for a failure of an operation; undefined if there is none. */
  failed(operation: string, code: PetstoreError["code"], cause: Cause.Cause<unknown>): Effect.Effect<void> | undefined {
    const now = this.now()
    const known = this.failures.get(code)
    if (known === undefined) {
      this.isFailing = true
      this.failures.set(code, { more: 0, logged: 0, loggedAt: now, lastAt: now })
      return Effect.logWarning(`${operation} failed with ${code}`, cause)
    }
    known.more++
    known.lastAt = now
    if (now - known.loggedAt < intervalMillis) return undefined
    const message = `${known.more - known.logged} more requests failed with ${code} in ${seconds(now - known.loggedAt)}`
    known.logged = known.more
    known.loggedAt = now
    return Effect.logWarning(message)
  }

  /** The entries for failures that have ended, when a request has succeeded. */
  succeeded(): ReadonlyArray<Effect.Effect<void>> {
    const now = this.now()
    const entries: Array<Effect.Effect<void>> = []
    for (const [code, { lastAt, more }] of this.failures) {
      if (now - lastAt < intervalMillis) continue
      this.failures.delete(code)
      if (more === 0) continue
      entries.push(Effect.logInfo(`No request has failed with ${code} for ${seconds(now - lastAt)}; ${more + 1} had`))
    }
    this.isFailing = this.failures.size > 0
    return entries
  }

  private now(): number {
    return Number(this.clock.monotonicTimeNanosUnsafe()) / 1_000_000
  }
}

const seconds = (millis: number): string => `${Math.round(millis / 1000)} seconds`
