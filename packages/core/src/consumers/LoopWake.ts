import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { elapsedMillis, sleep } from "../services/background/sleep.ts"

/** What makes the loop of a consumer look again before it would by itself. */
export class LoopWake {
  private readonly latch = Latch.makeUnsafe()
  private isAsked = false

  /** Makes it look for events. */
  readonly wake = (): void => {
    this.latch.openUnsafe()
  }

  /** Makes it look for parked events to replay, and whether it drains. */
  readonly ask = (): void => {
    this.isAsked = true
    this.latch.openUnsafe()
  }

  /** Begins a look. What comes from now on leads to another one. Returns whether it was asked for. */
  begin(): boolean {
    const { isAsked } = this
    this.isAsked = false
    this.clear()
    return isAsked
  }

  /** Forgets what has come, except that a look was asked for. */
  clear(): void {
    this.latch.closeUnsafe()
  }

  /** Waits for what has come since {@link begin} or {@link clear}. */
  get await(): Effect.Effect<void> {
    return this.latch.await
  }
}

/**
 * Rings at a time that may be moved, with one timer: a deadline that is set for each event costs nothing until it is reached.
 * Times are those of {@link elapsedMillis}.
 */
export class Alarm {
  private at = Number.POSITIVE_INFINITY
  private readonly changed = Latch.makeUnsafe()
  private readonly ring: (now: number) => void

  /** `ring`: may set the alarm again. It must return soon and not throw. */
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
      if (now < this.at) return Effect.raceFirst(this.changed.await, sleep(this.at - now))
      this.at = Number.POSITIVE_INFINITY
      this.ring(now)
      return Effect.void
    })
  )
}
