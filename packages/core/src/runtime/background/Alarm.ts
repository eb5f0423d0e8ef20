import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { elapsedMillis, sleep } from "./sleep.ts"

/** Milliseconds. Clocks pass no shorter time: a time that is closer, by the rounding of its sum, would never come on that of a test. */
const shortestSleepMillis = 1e-6

/**
 * Rings at a time that may be moved, with one timer: a deadline that is set for each item costs nothing until it is reached.
 * Times are those of {@link elapsedMillis}.
 */
export class Alarm {
  private at = Number.POSITIVE_INFINITY
  private readonly changed = Latch.makeUnsafe()
  private readonly ring: (now: number) => void

  /** `ring`: may set the alarm again. It must return at once and not throw. */
  constructor(ring: (now: number) => void) {
    this.ring = ring
  }

  /** Rings at this time, or before: a later time than that of an earlier call is ignored. */
  set(at: number): void {
    if (at >= this.at) return
    this.at = at
    this.changed.openUnsafe()
  }

  /** Keeps time. Never ends by itself. */
  readonly run: Effect.Effect<never> = Effect.forever(
    Effect.flatMap(elapsedMillis, (now) => {
      this.changed.closeUnsafe()
      if (this.at === Number.POSITIVE_INFINITY) return this.changed.await
      if (now < this.at)
        return Effect.raceFirst(this.changed.await, sleep(Math.max(this.at - now, shortestSleepMillis)))
      this.at = Number.POSITIVE_INFINITY
      this.ring(now)
      return Effect.void
    })
  )
}
