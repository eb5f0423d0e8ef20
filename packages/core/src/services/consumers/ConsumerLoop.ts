import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Latch from "effect/Latch"
import * as Random from "effect/Random"
import { backoff, growing, type RetrySchedule } from "../../domain/backoff.ts"
import type { Event, EventType } from "../../domain/Event.ts"
import type { CursorExpired } from "../../domain/errors/RequestErrors.ts"
import { limits } from "../../domain/limits.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { elapsedMillis, sleep } from "../background/sleep.ts"
import type { Follower } from "../EventSource.ts"
import type { EventError } from "../Events.ts"
import { ClaimLost, type ConsumerClaim, type ConsumerClaims } from "./ConsumerClaims.ts"
import type { Consuming } from "./EventHandler.ts"

const longestDelay = 300_000

/** Fails for good only by being parked. */
const retries: RetrySchedule = { delays: growing(1_000, 2, longestDelay), end: "repeat", jitter: 0.2 }

/** Milliseconds between two records of the position, while events are handled and while all are skipped. */
const recordEvery = 250
const recordSkippedEvery = 5_000

/** Milliseconds after which to look for parked events that another process replays, and to try the store again. */
const lookEvery = 3_000
const longestStorePause = 5_000
const storeRetries: RetrySchedule = { delays: growing(500, 2, longestStorePause), end: "repeat", jitter: 0 }

/** What the row of a failure has room for. */
const longestMessage = 1_000

/** The message of something that was thrown, as any store can keep it. */
export const failureMessage = (error: unknown): string => {
  const text = error instanceof Error ? error.message || error.name : String(error)
  // PostgreSQL keeps every character but this one.
  return text.slice(0, longestMessage).toWellFormed().replaceAll("\0", " ")
}

type PersistError = CursorExpired | StorageError

/** Handles the events of one consumer while its claim holds. */
export class ConsumerLoop {
  private readonly events: Storage["Service"]["events"]
  private readonly parkedEvents: Storage["Service"]["parkedEvents"]
  private readonly claims: ConsumerClaims
  private readonly claim: ConsumerClaim
  private readonly name: string
  private readonly consuming: Consuming
  /** Opens when the loop should look again before it would by itself. */
  private readonly look: Latch.Latch
  private readonly isDraining: () => boolean
  private recordedAt = 0
  private lookedAt = Number.NEGATIVE_INFINITY
  private hasHandled = false

  constructor(
    { events, parkedEvents }: Storage["Service"],
    claims: ConsumerClaims,
    claim: ConsumerClaim,
    options: {
      readonly name: string
      readonly consuming: Consuming
      readonly look: Latch.Latch
      readonly isDraining: () => boolean
    }
  ) {
    this.events = events
    this.parkedEvents = parkedEvents
    this.claims = claims
    this.claim = claim
    this.name = options.name
    this.consuming = options.consuming
    this.look = options.look
    this.isDraining = options.isDraining
  }

  /** Runs until the claim is lost, the engine closes or the consumer drains. */
  run(follower: Follower<EventType, EventError>): Effect.Effect<void, ClaimLost> {
    return Effect.gen({ self: this }, function* () {
      this.recordedAt = yield* elapsedMillis
      while (!this.isDraining()) {
        const isAsked = this.look.isOpen()
        this.look.closeUnsafe()
        yield* this.replay(isAsked)
        const page = follower.take()
        const events = page.length > 0 || !follower.mustRead ? page : yield* this.persist(follower.read)
        if (follower.isClosed) return yield* Effect.never
        const position = follower.position
        yield* this.handleAll(events)
        if (this.isDraining()) return
        if (position > this.claim.position) this.claim.position = position
        const wait = yield* this.recordIfDue
        if (events.length > 0 || follower.mustRead) continue
        const more = Effect.callback<void>((resume) => {
          follower.onMore(() => resume(Effect.void))
          return Effect.sync(() => follower.onMore(() => {}))
        })
        yield* Effect.raceFirst(more, Effect.raceFirst(this.look.await, sleep(wait)))
      }
    })
  }

  private handleAll(events: ReadonlyArray<Event>): Effect.Effect<void, ClaimLost> {
    const { handler } = this.consuming
    return Effect.gen({ self: this }, function* () {
      let next = 0
      while (next < events.length && !this.isDraining()) {
        // Alone after a failure, so that the others do not fail with it.
        const size = handler.kind === "transaction" && this.claim.attempts === 0 ? limits.page : 1
        const some = events.slice(next, next + size)
        if (yield* this.attempt(some)) {
          next += some.length
          this.hasHandled = true
          if (handler.kind === "each") yield* this.recordIfDue
        }
      }
    })
  }

  /** Handles events, the first of which may have failed before. Returns whether they are done with. */
  private attempt(events: ReadonlyArray<Event>): Effect.Effect<boolean, ClaimLost> {
    const { claim } = this
    const [event] = events
    const last = events.at(-1)
    return Effect.gen({ self: this }, function* () {
      if (event === undefined || last === undefined) return true
      yield* this.untilDue
      if (this.isDraining()) return false
      const exit = yield* Effect.exit(this.handled(events, claim.attempts + 1))
      if (Exit.isSuccess(exit)) {
        if (claim.attempts > 0) yield* this.recordDone(last.seq)
        else claim.position = last.seq
        return true
      }
      const error = yield* this.errorOf(exit.cause)
      if (events.length > 1) {
        // Nothing of the page took effect. Its first event is tried again, alone.
        yield* this.failed(error, event)
        return false
      }
      const attempt = claim.attempts + 1
      if (this.consuming.parkAfter !== undefined && attempt >= this.consuming.parkAfter) {
        yield* this.persist(this.claims.park(claim, event.seq, failureMessage(error)))
        yield* this.consuming.onFailure(error, event, { attempt, parked: true })
        return true
      }
      yield* this.failed(error, event)
      return false
    })
  }

  /** The attempts of an event end with it. */
  private recordDone(seq: number): Effect.Effect<void, ClaimLost> {
    const { claim } = this
    return Effect.suspend(() => {
      claim.position = seq
      claim.attempts = 0
      claim.retryAt = undefined
      return this.record
    })
  }

  private failed(error: unknown, event: Event): Effect.Effect<void, ClaimLost> {
    const { claim } = this
    return Effect.gen({ self: this }, function* () {
      const attempt = claim.attempts + 1
      const delay = backoff(retries, attempt, yield* Random.next) ?? longestDelay
      const retryAt = yield* this.persist(this.claims.fail(claim, failureMessage(error), delay))
      yield* this.consuming.onFailure(error, event, { attempt, retryAt, parked: false })
    })
  }

  private handled(events: ReadonlyArray<Event>, attempt: number): Effect.Effect<unknown, unknown> {
    const { handler, timeout } = this.consuming
    const [event] = events
    const last = events.at(-1)
    if (event === undefined || last === undefined) return Effect.void
    if (handler.kind === "transaction") return this.claims.handle(this.claim, last.seq, handler.handle(events))
    return this.inTime(handler.handle(event, attempt), timeout)
  }

  private inTime(effect: Effect.Effect<unknown, unknown>, timeout: number): Effect.Effect<unknown, unknown> {
    const late = Effect.andThen(
      sleep(timeout),
      Effect.suspend(() => Effect.fail(new Error(`The handler took more than ${timeout} ms`)))
    )
    return Effect.raceFirst(effect, late)
  }

  /** The error of a failed attempt. An interruption and a lost claim are none. */
  private errorOf(cause: Cause.Cause<unknown>): Effect.Effect<unknown, ClaimLost> {
    const error = Cause.squash(cause)
    if (error instanceof ClaimLost) return Effect.fail(error)
    // A handler that interrupts itself has failed; where this loop is interrupted, it ends here.
    return Cause.hasInterruptsOnly(cause)
      ? Effect.as(Effect.yieldNow, new Error("The handler was interrupted"))
      : Effect.succeed(error)
  }

  /** Waits until a failed event is due: at most as long as a delay can be, whatever happened to the clock. */
  private readonly untilDue: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const { retryAt } = this.claim
    if (retryAt === undefined) return
    const now = yield* Clock.currentTimeMillis
    const begin = yield* elapsedMillis
    const wait = Math.min(Date.parse(retryAt) - now, longestDelay * (1 + retries.jitter))
    while (!this.isDraining()) {
      const left = begin + wait - (yield* elapsedMillis)
      if (left <= 0) return
      this.look.closeUnsafe()
      yield* Effect.raceFirst(this.look.await, sleep(left))
    }
  })

  private readonly record: Effect.Effect<void, ClaimLost> = Effect.gen({ self: this }, function* () {
    yield* this.persist(this.claims.record(this.claim))
    this.recordedAt = yield* elapsedMillis
    this.hasHandled = false
  })

  /** Records the position if that is due, and returns in how many milliseconds it is again. */
  private readonly recordIfDue: Effect.Effect<number, ClaimLost> = Effect.gen({ self: this }, function* () {
    const { position, recorded } = this.claim
    if (position === recorded) return lookEvery
    const interval = this.hasHandled ? recordEvery : recordSkippedEvery
    const left = this.recordedAt + interval - (yield* elapsedMillis)
    if (left > 0) return Math.min(left, lookEvery)
    yield* this.record
    return lookEvery
  })

  /** Handles the parked events that were replayed. */
  private readonly replay = Effect.fnUntraced({ self: this }, function* (isAsked: boolean) {
    const now = yield* elapsedMillis
    if (now < this.lookedAt + lookEvery && !isAsked) return
    this.lookedAt = now
    const replays = yield* this.persist(this.parkedEvents.listReplays(this.name, 0, limits.page))
    for (const parked of replays) {
      if (this.isDraining()) return
      const [event] = yield* this.persist(this.events.scan(parked.seq - 1, 1))
      if (event?.seq !== parked.seq) continue
      const { handler, timeout } = this.consuming
      const attempt = parked.attempts + 1
      const exit = yield* Effect.exit(
        handler.kind === "transaction"
          ? this.claims.unpark(this.claim, parked, handler.handle([event]))
          : this.inTime(handler.handle(event, attempt), timeout)
      )
      if (Exit.isFailure(exit)) {
        const error = yield* this.errorOf(exit.cause)
        yield* this.persist(this.claims.parkAgain(this.claim, parked, failureMessage(error)))
        yield* this.consuming.onFailure(error, event, { attempt, parked: true })
      } else if (handler.kind === "each") {
        yield* this.persist(this.claims.unpark(this.claim, parked, Effect.void))
      }
    }
  })

  /** Runs something on the store until it succeeds: events wait meanwhile, so that few are handled again after a crash. */
  private persist<A>(effect: Effect.Effect<A, ClaimLost | PersistError>, attempt = 1): Effect.Effect<A, ClaimLost> {
    return Effect.catch(effect, (error): Effect.Effect<A, ClaimLost> => {
      if (error instanceof ClaimLost) return Effect.fail(error)
      return Effect.andThen(
        this.consuming.onFailure(error),
        Effect.andThen(
          sleep(backoff(storeRetries, attempt, 0.5) ?? longestStorePause),
          Effect.suspend(() => this.persist(effect, attempt + 1))
        )
      )
    })
  }
}
