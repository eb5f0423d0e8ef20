import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Random from "effect/Random"
import { backoff, growing, type RetrySchedule } from "../../domain/backoff.ts"
import type { CursorExpired } from "../../domain/errors/RequestErrors.ts"
import type { Event, EventType } from "../../domain/events/Event.ts"
import { limits } from "../../domain/limits.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { Follower } from "../../programs/events/EventSource.ts"
import { elapsedOn, storeTime } from "../../programs/time.ts"
import { type TracedWork, tracedWork } from "../../programs/tracing.ts"
import { type EventRecord, traceparent } from "../../tables/eventTable.ts"
import { replaysOf } from "../../tables/index.ts"
import { Alarm } from "../background/Alarm.ts"
import { asyncContext, startFiber } from "../background/calls.ts"
import { elapsedMillis, sleep } from "../background/sleep.ts"
import { thrownMessage } from "../background/thrownMessage.ts"
import type { EventError } from "../events/Events.ts"
import { ClaimLost, type ConsumerClaim, type ConsumerClaims } from "./ConsumerClaims.ts"
import type { Consuming, HandlerStart } from "./EventHandler.ts"
import { EventWindow, type WindowEntry } from "./EventWindow.ts"
import { HandlerCalls } from "./HandlerCalls.ts"
import type { LoopWake } from "./LoopWake.ts"

/** The span of the events that a consumer handles together, by the semantic conventions of messaging. */
const handlingSpan = (consumer: string, events: ReadonlyArray<EventRecord>, attempt: number): TracedWork => {
  const [event] = events
  return {
    name: "process events",
    kind: "consumer",
    attributes: {
      "messaging.system": "petstore",
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": "events",
      "messaging.consumer.group.name": consumer,
      ...(events.length > 1 || event === undefined
        ? { "messaging.batch.message_count": events.length }
        : { "messaging.message.id": event.id, "petstore.event.type": event.type }),
      "petstore.consumer.attempt": attempt
    },
    causes: events.map((event) => event[traceparent])
  }
}

const longestDelayMillis = 300_000

/** Fails for good only by being parked. */
const retries: RetrySchedule = { delays: growing(1_000, 2, longestDelayMillis), end: "repeat", jitter: 0.2 }

/** Milliseconds between two records of the position, while events are handled and while all are skipped. After a crash, the events of this time are handled again. */
const recordEveryMillis = 250
const recordSkippedEveryMillis = 5_000

/** Milliseconds after which to look for parked events that another process replays, and to try the store again. */
const lookEveryMillis = 3_000
const longestStorePauseMillis = 5_000
const storeRetries: RetrySchedule = { delays: growing(500, 2, longestStorePauseMillis), end: "repeat", jitter: 0 }

/** Milliseconds after which other work goes first. */
const longestTurnMillis = 10

/** After how many events, whose handlers return at once, it looks at the clock at the latest. */
const longestStep = 32

/** Characters of a message for which the row of a failure has room. */
const mostMessageCharacters = 1_000

/** The message of something that was thrown, as any store can keep it. */
const failureMessage = (error: unknown): string =>
  // PostgreSQL keeps every character but this one.
  thrownMessage(error).slice(0, mostMessageCharacters).toWellFormed().replaceAll("\0", " ")

type PersistError = CursorExpired | StorageError

/** Events that a loop has taken from its follower while it rested. */
interface Taken {
  readonly events: ReadonlyArray<Event>
  /** The `seq` that they reach up to. */
  readonly through: number
  /** The exit of the last handler that was called, once it is known. */
  exit: Effect.Effect<Exit.Exit<unknown, unknown>> | undefined
  /** Called then. */
  onExit: ((exit: Effect.Effect<Exit.Exit<unknown, unknown>>) => void) | undefined
}

const noEvents = (): void => {}

/** Handles the events of one consumer while its claim holds. */
export class ConsumerLoop {
  private readonly storage: Storage["Service"]
  private readonly claims: ConsumerClaims
  private readonly claim: ConsumerClaim
  private readonly name: string
  private readonly consuming: Consuming
  private readonly clock: Clock.Clock
  private readonly wake: LoopWake
  private readonly isDraining: () => boolean
  private readonly newCalls: () => HandlerCalls
  private readonly calls: HandlerCalls
  /** Of the events that are handled at the same time. */
  private readonly openCalls = new Set<HandlerCalls>()
  private readonly alarm = new Alarm((now) => {
    this.calls.expire(now)
    for (const calls of this.openCalls) calls.expire(now)
    this.wake.wake()
  })
  private due: { readonly retryAt: string; readonly at: number } | undefined
  private turnEnd = 0
  private recordedAt = 0
  private lookedAt = Number.NEGATIVE_INFINITY
  private hasHandled = false
  /** How many events were handled since it looked at the clock, and after how many it looks again: more and more while they are fast. */
  private unseen = 0
  private step = 1
  /** Handles more while the loop rests; undefined while it does not. */
  private more: (() => void) | undefined
  private taken: Taken | undefined
  private readonly inContext = asyncContext()

  constructor(
    storage: Storage["Service"],
    claims: ConsumerClaims,
    claim: ConsumerClaim,
    options: {
      readonly name: string
      readonly consuming: Consuming
      readonly context: Context.Context<never>
      readonly wake: LoopWake
      readonly isDraining: () => boolean
    }
  ) {
    this.storage = storage
    this.claims = claims
    this.claim = claim
    this.name = options.name
    this.consuming = options.consuming
    this.clock = Context.get(options.context, Clock.Clock)
    this.wake = options.wake
    this.isDraining = options.isDraining
    const { handler, timeout } = options.consuming
    const call = (start: HandlerStart) => () =>
      new HandlerCalls(
        start,
        timeout,
        () => elapsedOn(this.clock),
        (deadline) => this.alarm.set(deadline)
      )
    if (handler.kind === "calls") this.newCalls = call(handler.start)
    else {
      const fork = Effect.runForkWith(options.context)
      const handle = (event: Event, attempt: number) =>
        this.traced([event], attempt, () => handler.handle(event, attempt))
      this.newCalls = call((event, attempt) => startFiber(handle(event, attempt), fork))
    }
    this.calls = this.newCalls()
  }

  /** Runs until the claim is lost, the petstore closes or the consumer drains. */
  run(follower: Follower<EventType, EventError>): Effect.Effect<void, ClaimLost> {
    const { concurrency = 1 } = this.consuming
    const following =
      concurrency === 1
        ? this.follow(follower)
        : this.followAtOnce(follower, new EventWindow(concurrency), this.newCalls)
    return Effect.ensuring(
      Effect.raceFirst(following, this.alarm.run),
      Effect.suspend(() => this.calls.cancel)
    )
  }

  private follow(follower: Follower<EventType, EventError>): Effect.Effect<void, ClaimLost> {
    return Effect.gen({ self: this }, function* () {
      this.recordedAt = yield* elapsedMillis
      this.turnEnd = this.recordedAt + longestTurnMillis
      const handleMore = this.handlingMore(follower)
      while (!this.isDraining()) {
        yield* this.replay(this.wake.begin())
        const events = yield* this.nextOf(follower)
        if (follower.isClosed) return yield* Effect.never
        const position = follower.position
        yield* this.handleAll(events)
        if (this.isDraining()) return
        this.pass(position)
        const due = yield* this.recordIfDue
        if (events.length > 0 || follower.mustRead) continue
        this.alarm.set(due)
        yield* this.rest(follower, handleMore)
        this.turnEnd = elapsedOn(this.clock) + longestTurnMillis
        yield* this.handleTaken
      }
    })
  }

  /** The same, with several events at the same time. */
  private followAtOnce(
    follower: Follower<EventType, EventError>,
    window: EventWindow,
    newCalls: () => HandlerCalls
  ): Effect.Effect<void, ClaimLost> {
    return Effect.gen({ self: this }, function* () {
      const fork = yield* FiberSet.makeRuntime()
      const start = (entry: WindowEntry): void => {
        const calls = newCalls()
        this.openCalls.add(calls)
        window.started(entry)
        const handling = calls.run([entry.event], this.claim.attempts + 1, () => false)
        fork(
          Effect.map(handling, (exit) => {
            this.openCalls.delete(calls)
            window.ended(entry, exit)
            this.wake.wake()
          })
        )
      }
      this.recordedAt = yield* elapsedMillis
      this.turnEnd = this.recordedAt + longestTurnMillis
      while (!this.isDraining() || window.isRunning) {
        yield* this.replay(this.wake.begin())
        const canRead = window.hasRoom && !this.isDraining()
        const events = canRead ? yield* this.nextOf(follower) : []
        window.add(events)
        if (follower.isClosed) return yield* Effect.never
        yield* this.settle(window)
        if (window.head === undefined) this.pass(follower.position)
        if (!this.isDraining()) this.startAll(window, start)
        const due = yield* this.recordIfDue
        if (canRead && (events.length > 0 || follower.mustRead)) continue
        if (elapsedOn(this.clock) > this.turnEnd) {
          yield* Effect.yieldNow
          this.turnEnd = elapsedOn(this.clock) + longestTurnMillis
        }
        this.alarm.set(due)
        if (canRead) follower.onMore(this.wake.wake)
        yield* window.head === undefined ? this.rest(follower, this.wake.wake) : this.wake.await
        follower.onMore(noEvents)
      }
      yield* this.settle(window)
    }).pipe(Effect.scoped)
  }

  /** Takes the events that have appeared, or else reads the log if that is needed. */
  private nextOf(follower: Follower<EventType, EventError>): Effect.Effect<ReadonlyArray<Event>, ClaimLost> {
    return Effect.suspend(() => {
      const page = follower.take()
      return page.length > 0 || !follower.mustRead ? Effect.succeed(page) : this.persist(follower.read)
    })
  }

  /** Moves the position over events that are handled or were not selected. */
  private pass(position: number): void {
    if (position > this.claim.position) this.claim.position = position
  }

  /** Waits until there may be more. The position passes what came meanwhile and is not selected, also if the loop ends here. */
  private rest(follower: Follower<EventType, EventError>, more: () => void): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.more = more
      follower.onMore(more)
      return this.wake.await
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          this.more = undefined
          if (this.taken !== undefined) return
          this.pass(follower.position)
          follower.onMore(noEvents)
        })
      )
    )
  }

  /**
   * Returns a function that handles what there is while the loop rests: to wake the fibers of a hundred consumers would cost more than the
   * commit. It wakes the loop, which may run before that returns, for whatever is not done with then.
   */
  private handlingMore(follower: Follower<EventType, EventError>): () => void {
    const handle = (): void => {
      while (this.more === more && this.claim.attempts === 0) {
        const events = follower.take()
        if (events.length > 0) {
          if (this.begin(events, follower.position, more)) continue
          return
        }
        if (follower.isClosed || follower.mustRead) break
        this.pass(follower.position)
        follower.onMore(more)
        if (this.hasHandled) this.alarm.set(this.recordedAt + recordEveryMillis)
        return
      }
      this.wake.wake()
    }
    const more = (): void => this.inContext(handle)
    return more
  }

  /** Handles events at once. Returns whether all are done with. If they are later, it calls `next`, and otherwise wakes the loop. */
  private begin(events: ReadonlyArray<Event>, through: number, next: () => void): boolean {
    const taken: Taken = { events, through, exit: undefined, onExit: undefined }
    this.taken = taken
    this.turnEnd = elapsedOn(this.clock) + longestTurnMillis
    let areDone = false
    let hasReturned = false
    const handOver = (exit: Effect.Effect<Exit.Exit<unknown, unknown>>): void => {
      if (taken.onExit === undefined) this.wake.wake()
      else taken.onExit(exit)
    }
    this.calls.begin(events, 1, this.onHandled, (exit) => {
      taken.exit = exit
      areDone = this.calls.done === events.length && this.more === next
      if (areDone) {
        this.taken = undefined
        this.pass(through)
      }
      if (!hasReturned) return
      if (areDone) next()
      else handOver(exit)
    })
    hasReturned = true
    if (taken.exit !== undefined && !areDone) handOver(taken.exit)
    return areDone
  }

  /** Goes on with what the loop has taken while it rested. */
  private readonly handleTaken: Effect.Effect<void, ClaimLost> = Effect.gen({ self: this }, function* () {
    const { taken } = this
    if (taken === undefined) return
    const exit = yield* taken.exit === undefined
      ? Effect.callback<Exit.Exit<unknown, unknown>>((resume) => {
          taken.onExit = resume
        })
      : taken.exit
    this.taken = undefined
    const done = yield* this.ended(taken.events, exit)
    yield* this.handleAll(taken.events.slice(done))
    if (!this.isDraining()) this.pass(taken.through)
  })

  /** Starts every event that may be handled now. While the first one is tried again, no other one starts. */
  private startAll(window: EventWindow, start: (entry: WindowEntry) => void): void {
    const isRetry = this.claim.attempts > 0
    if (isRetry && elapsedOn(this.clock) < this.retryDue) {
      this.alarm.set(this.retryDue)
      return
    }
    for (let entry = window.next(isRetry); entry !== undefined; entry = window.next(isRetry)) start(entry)
  }

  /** Moves the position over the first events that are handled or parked, and records the failure of the next one. */
  private settle(window: EventWindow): Effect.Effect<void, ClaimLost> {
    return Effect.gen({ self: this }, function* () {
      for (let { head } = window; head?.exit !== undefined; head = window.head) {
        const { event, exit } = head
        if (Exit.isSuccess(exit)) {
          this.hasHandled = true
          if (this.claim.attempts > 0) yield* this.recordDone(event.seq)
          else this.claim.position = event.seq
        } else if (!(yield* this.failed(yield* this.errorOf(exit.cause), event))) {
          head.exit = undefined
          return
        }
        window.shift()
      }
    })
  }

  private handleAll(events: ReadonlyArray<Event>): Effect.Effect<void, ClaimLost> {
    return Effect.gen({ self: this }, function* () {
      let next = 0
      while (next < events.length && !this.isDraining()) {
        // Alone after a failure, so that the others do not fail with it.
        const size = this.claim.attempts === 0 ? limits.page : 1
        const done = yield* this.attempt(events.slice(next, next + size))
        next += done
        yield* this.recordIfDue
        if (elapsedOn(this.clock) <= this.turnEnd) continue
        yield* Effect.yieldNow
        this.turnEnd = elapsedOn(this.clock) + longestTurnMillis
      }
    })
  }

  /** Handles events, the first of which may have failed before. Returns how many of them are done with. */
  private attempt(events: ReadonlyArray<Event>): Effect.Effect<number, ClaimLost> {
    return Effect.gen({ self: this }, function* () {
      yield* this.untilDue
      if (this.isDraining()) return 0
      const exit = yield* this.calls.run(events, this.claim.attempts + 1, this.onHandled)
      return yield* this.ended(events, exit)
    })
  }

  /** Moves the position over an event that is handled, and returns whether to go on with the next one. */
  private readonly onHandled = ({ seq }: Event, hasWaited: boolean): boolean => {
    this.hasHandled = true
    // The attempts of an event end with the record of it.
    if (this.claim.attempts === 0) this.claim.position = seq
    if (this.isDraining()) return false
    if (!hasWaited && ++this.unseen < this.step) return true
    const now = elapsedOn(this.clock)
    const goesOn = now <= this.turnEnd && now < this.recordedAt + recordEveryMillis
    this.unseen = 0
    this.step = goesOn && !hasWaited ? Math.min(2 * this.step, longestStep) : 1
    return goesOn
  }

  /** Records how the last handler that was called with some of the events has ended, and returns how many are done with. */
  private ended(events: ReadonlyArray<Event>, exit: Exit.Exit<unknown, unknown>): Effect.Effect<number, ClaimLost> {
    return Effect.gen({ self: this }, function* () {
      const { done } = this.calls
      const event = events[done]
      if (Exit.isSuccess(exit) || event === undefined) {
        const last = events[done - 1]
        if (this.claim.attempts > 0 && last !== undefined) yield* this.recordDone(last.seq)
        return done
      }
      const error = yield* this.errorOf(exit.cause)
      return (yield* this.failed(error, event)) ? done + 1 : done
    })
  }

  private traced<E>(
    events: ReadonlyArray<Event>,
    attempt: number,
    handle: () => Effect.Effect<unknown, E>
  ): Effect.Effect<unknown, E> {
    return tracedWork(() => handlingSpan(this.name, events, attempt), handle)
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

  /** Records that the next event has failed. Returns whether it is parked, so that it is done with. */
  private failed(error: unknown, event: Event): Effect.Effect<boolean, ClaimLost> {
    const { claim } = this
    return Effect.gen({ self: this }, function* () {
      const attempt = claim.attempts + 1
      if (this.consuming.parkAfter !== undefined && attempt >= this.consuming.parkAfter) {
        yield* this.persist(this.claims.park(claim, event.seq, failureMessage(error)))
        yield* this.consuming.onFailure(error, event, { attempt, parked: true })
        return true
      }
      const delay = backoff(retries, attempt, yield* Random.next) ?? longestDelayMillis
      const retryAt = yield* this.persist(this.claims.fail(claim, failureMessage(error), delay))
      yield* this.consuming.onFailure(error, event, { attempt, retryAt, parked: false })
      return false
    })
  }

  /** The error of a failed attempt. An interruption is none. */
  private errorOf(cause: Cause.Cause<unknown>): Effect.Effect<unknown> {
    // A handler that interrupts itself has failed; where this loop is interrupted, it ends here.
    return Cause.hasInterruptsOnly(cause)
      ? Effect.as(Effect.yieldNow, new Error("The handler was interrupted"))
      : Effect.succeed(Cause.squash(cause))
  }

  /** When a failed event is due, as elapsed time: at most as late as a delay can be, whatever happened to the clock. */
  private get retryDue(): number {
    const { retryAt } = this.claim
    if (retryAt === undefined) return Number.NEGATIVE_INFINITY
    if (this.due?.retryAt !== retryAt) {
      const wait = Date.parse(retryAt) - storeTime(this.storage)(this.clock)
      this.due = { retryAt, at: elapsedOn(this.clock) + Math.min(wait, longestDelayMillis * (1 + retries.jitter)) }
    }
    return this.due.at
  }

  /** Waits until a failed event is due. */
  private readonly untilDue: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    while (!this.isDraining()) {
      this.wake.clear()
      if (elapsedOn(this.clock) >= this.retryDue) return
      this.alarm.set(this.retryDue)
      yield* this.wake.await
    }
  })

  private readonly record: Effect.Effect<void, ClaimLost> = Effect.gen({ self: this }, function* () {
    yield* this.persist(this.claims.record(this.claim))
    this.recordedAt = yield* elapsedMillis
    this.hasHandled = false
  })

  /** Records the position if that is due, and returns when to look again. */
  private readonly recordIfDue: Effect.Effect<number, ClaimLost> = Effect.suspend(() => {
    const { position, recorded } = this.claim
    const now = elapsedOn(this.clock)
    const look = now + lookEveryMillis
    if (position === recorded) return Effect.succeed(look)
    const due = this.recordedAt + (this.hasHandled ? recordEveryMillis : recordSkippedEveryMillis)
    return now < due ? Effect.succeed(Math.min(due, look)) : Effect.as(this.record, look)
  })

  /** Handles the parked events that were replayed. */
  private readonly replay = Effect.fnUntraced({ self: this }, function* (isAsked: boolean) {
    const now = yield* elapsedMillis
    if (now < this.lookedAt + lookEveryMillis && !isAsked) return
    this.lookedAt = now
    const replays = yield* this.persist(this.storage.select(replaysOf, { consumer: this.name, after: 0 }, limits.page))
    for (const parked of replays) {
      if (this.isDraining()) return
      const [event] = yield* this.persist(this.storage.events.scan(parked.seq - 1, 1))
      if (event?.seq !== parked.seq) continue
      const attempt = parked.attempts + 1
      const exit = yield* this.calls.run([event], attempt, () => false)
      if (Exit.isFailure(exit)) {
        const error = yield* this.errorOf(exit.cause)
        yield* this.persist(this.claims.parkAgain(this.claim, parked, failureMessage(error)))
        yield* this.consuming.onFailure(error, event, { attempt, parked: true })
      } else {
        yield* this.persist(this.claims.unpark(this.claim, parked))
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
          sleep(backoff(storeRetries, attempt, 0.5) ?? longestStorePauseMillis),
          Effect.suspend(() => this.persist(effect, attempt + 1))
        )
      )
    })
  }
}
