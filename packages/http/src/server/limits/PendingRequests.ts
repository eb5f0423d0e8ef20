import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** A request that has no response yet. */
export interface PendingRequest {
  /** Called after the timeout, and maybe again as long as the request is pending. */
  readonly expire: () => void
}

/** The pending requests of a server, with one timer for all of them; no timer runs while there are none. */
export class PendingRequests {
  private readonly deadlines = new Map<PendingRequest, number>()
  private readonly clock: Clock.Clock
  private readonly run: (sweep: Effect.Effect<void>) => void
  private readonly timeout: number
  private sweeping = false
  private onEmpty: Array<() => void> = []

  /** `timeout`: after how many milliseconds a request expires. `run`: runs the timer in the background. */
  constructor(clock: Clock.Clock, timeout: number, run: (sweep: Effect.Effect<void>) => void) {
    this.clock = clock
    this.timeout = timeout
    this.run = run
  }

  get size(): number {
    return this.deadlines.size
  }

  add(request: PendingRequest): void {
    this.deadlines.set(request, this.clock.currentTimeMillisUnsafe() + this.timeout)
    if (this.sweeping) return
    this.sweeping = true
    this.run(this.sweep)
  }

  delete(request: PendingRequest): void {
    this.deadlines.delete(request)
    if (this.deadlines.size > 0) return
    const listeners = this.onEmpty
    this.onEmpty = []
    for (const listener of listeners) listener()
  }

  /** Completes when no request is pending. */
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

  /** All have the same timeout, so they expire in the order in which they came. */
  private expireDue(): void {
    const now = this.clock.currentTimeMillisUnsafe()
    for (const [request, deadline] of [...this.deadlines]) {
      if (deadline > now) return
      request.expire()
    }
  }
}
