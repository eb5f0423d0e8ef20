import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** A request that has no response yet. */
export interface PendingRequest {
  /** When it expires, and its neighbours: for {@link PendingRequests} alone. */
  deadline: number
  before: PendingRequest | undefined
  after: PendingRequest | undefined
  /** Called after the timeout, and maybe again as long as the request is pending. */
  expire(): void
}

/**
 * The pending requests of a server, with one timer for all of them; no timer runs while there are none.
 *
 * They are a linked list. The table of a `Map` refers to the one that replaces it when it has no more room: those that have grown old
 * would keep the tables after them, with requests that ended long ago, until V8 collects its old generation.
 */
export class PendingRequests {
  private first: PendingRequest | undefined
  private last: PendingRequest | undefined
  private count = 0
  private readonly clock: Clock.Clock
  private readonly runSweep: (sweep: Effect.Effect<void>) => void
  private readonly timeout: number
  private sweeping = false
  private onEmpty: Array<() => void> = []

  /** `timeout`: after how many milliseconds a request expires. `run`: runs the timer in the background. */
  constructor(clock: Clock.Clock, timeout: number, runSweep: (sweep: Effect.Effect<void>) => void) {
    this.clock = clock
    this.timeout = timeout
    this.runSweep = runSweep
  }

  get size(): number {
    return this.count
  }

  /** Adds a request that is not pending. */
  add(request: PendingRequest): void {
    request.deadline = this.now() + this.timeout
    request.before = this.last
    if (this.last === undefined) this.first = request
    else this.last.after = request
    this.last = request
    this.count++
    if (this.sweeping) return
    this.sweeping = true
    this.runSweep(this.sweep)
  }

  delete(request: PendingRequest): void {
    const { after, before } = request
    if (before === undefined && this.first !== request) return
    if (before === undefined) this.first = after
    else before.after = after
    if (after === undefined) this.last = before
    else after.before = before
    // A request that has ended keeps no other.
    request.before = undefined
    request.after = undefined
    this.count--
    if (this.count > 0) return
    const listeners = this.onEmpty
    this.onEmpty = []
    for (const listener of listeners) listener()
  }

  /** Completes when no request is pending. */
  readonly empty: Effect.Effect<void> = Effect.callback((resume) => {
    if (this.count === 0) return resume(Effect.void)
    this.onEmpty.push(() => resume(Effect.void))
  })

  expireAll(): void {
    for (const request of this.all()) request.expire()
  }

  /** Those that are pending now, in the order in which they came. */
  private all(): ReadonlyArray<PendingRequest> {
    const all: Array<PendingRequest> = []
    for (let request = this.first; request !== undefined; request = request.after) all.push(request)
    return all
  }

  private readonly sweep: Effect.Effect<void> = Effect.suspend(() =>
    Effect.flatMap(Effect.sleep(Math.max(1, Math.min(1000, this.timeout / 4))), () => {
      this.expireDue()
      this.sweeping = this.count > 0
      return this.sweeping ? this.sweep : Effect.void
    })
  )

  /** All have the same timeout, so they expire in the order in which they came. */
  private expireDue(): void {
    const now = this.now()
    for (const request of this.all()) {
      if (request.deadline > now) return
      request.expire()
    }
  }

  /** Milliseconds of a clock that is never set: a step of that of the system would expire requests that have just begun, or none for hours. */
  private now(): number {
    return Number(this.clock.monotonicTimeNanosUnsafe()) / 1_000_000
  }
}
