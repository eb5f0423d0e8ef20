import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** A request that waits for its answer. */
export interface Pending {
  /** Called when it has waited too long, and maybe again while it still waits. */
  readonly expire: () => void
}

/** The requests that wait, and the one timer for all of them; no timer runs while none waits. */
export class Waiting {
  private readonly deadlines = new Map<Pending, number>()
  private readonly clock: Clock.Clock
  private readonly run: (sweep: Effect.Effect<void>) => void
  private readonly timeout: number
  private sweeping = false
  private onEmpty: Array<() => void> = []

  /** `timeout`: after how many milliseconds a request expires. `run`: starts the timer in the background. */
  constructor(clock: Clock.Clock, timeout: number, run: (sweep: Effect.Effect<void>) => void) {
    this.clock = clock
    this.timeout = timeout
    this.run = run
  }

  get size(): number {
    return this.deadlines.size
  }

  add(request: Pending): void {
    this.deadlines.set(request, this.clock.currentTimeMillisUnsafe() + this.timeout)
    if (this.sweeping) return
    this.sweeping = true
    this.run(this.sweep)
  }

  delete(request: Pending): void {
    this.deadlines.delete(request)
    if (this.deadlines.size > 0) return
    const waiting = this.onEmpty
    this.onEmpty = []
    for (const resume of waiting) resume()
  }

  /** Completes when no request waits. */
  readonly empty: Effect.Effect<void> = Effect.callback((resume) => {
    if (this.deadlines.size === 0) return resume(Effect.void)
    this.onEmpty.push(() => resume(Effect.void))
  })

  expireAll(): void {
    for (const request of [...this.deadlines.keys()]) request.expire()
  }

  private readonly sweep: Effect.Effect<void> = Effect.suspend(() =>
    Effect.flatMap(Effect.sleep(Math.max(1, Math.min(1000, this.timeout / 4))), () => {
      this.expireDue()
      this.sweeping = this.deadlines.size > 0
      return this.sweeping ? this.sweep : Effect.void
    })
  )

  /** All wait equally long, so those that came first are due first. */
  private expireDue(): void {
    const now = this.clock.currentTimeMillisUnsafe()
    for (const [request, deadline] of [...this.deadlines]) {
      if (deadline > now) return
      request.expire()
    }
  }
}
