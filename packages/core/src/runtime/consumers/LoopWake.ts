import type * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

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
