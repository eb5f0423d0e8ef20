import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Scope from "effect/Scope"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageActivity } from "../../ports/StorageActivity.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { elapsedOn, turnOn } from "../../programs/time.ts"
import { Alarm } from "./Alarm.ts"
import type { Fork, RunningCall, StartedCall } from "./calls.ts"
import { sleep } from "./sleep.ts"

/** Items that a worker has claimed. */
export interface Claimed<Item> {
  /** At most as many as asked for. Each is an object of its own, which identifies the claim. */
  readonly items: ReadonlyArray<Item>
  /**
   * When there will be more to claim without a commit: the next attempt that is due, or the next lease that expires. An effect runs only
   * before the worker waits.
   */
  readonly nextDue?: string | Effect.Effect<string | undefined, StorageError> | undefined
  /** How many of the outcomes are recorded, or refused, the first ones first. Default: all. */
  readonly recorded?: number
  /** Whether it ended with its turn: there may be more that is due. */
  readonly isCut?: boolean
}

/** An item whose call has ended, and what is to be recorded of that. */
export interface Ended<Item, Outcome> {
  readonly item: Item
  readonly outcome: Outcome
}

/** Work on rows of the store that workers of several processes share by leases. */
export interface Work<Item extends object, Outcome, A = unknown> {
  /** What the items are, for log messages: "messages", for example. */
  readonly name: string
  /** Milliseconds that a lease lasts unless it is extended, which happens three times in this time. */
  readonly lease: number
  /** The time by which items are due, as {@link storeMillis}. */
  readonly millis: Effect.Effect<number>
  /** How many items are in work at the same time; a function if it may change. */
  readonly concurrency: number | (() => number)
  /** Milliseconds that a call may take. Default: no limit. */
  readonly timeout?: number
  /** Milliseconds after which to look for items although nothing announced any. Default: 3 s. */
  readonly idle?: number
  /** {@link Storage.watch}, if commits may bring items. */
  readonly watch?: Storage["Service"]["watch"]
  /** What the store has done for all, callers too. */
  readonly activity?: Pick<StorageActivity, "committed">
  /** Logs what the worker cannot do. Default: logs the first of several failures in a row. */
  readonly report?: (what: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  /** What identifies the row of an item. A row that is claimed again while it is in work is not called again. Default: the item itself. */
  readonly keyOf?: (item: Item) => unknown
  /**
   * Records the outcomes whose claims are still the latest, at least one if there are any, and claims at most `limit` due items, in one
   * short transaction. Outcomes that cannot be recorded are passed again, each alone, until they are.
   */
  readonly recordAndClaim: (
    ended: ReadonlyArray<Ended<Item, Outcome>>,
    limit: number
  ) => Effect.Effect<Claimed<Item>, StorageError>
  /** Extends the leases of items in one short transaction, and returns those whose fence has moved on. */
  readonly extend: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Item>, StorageError>
  /** Gives back the items whose calls were cancelled because the petstore stops, so that another worker need not wait. */
  readonly release?: (items: ReadonlyArray<Item>) => Effect.Effect<void, StorageError>
  /** Does the work, outside of transactions. It must not throw. It is cancelled when the lease is lost and when the petstore stops. */
  readonly start: (item: Item, fork: Fork) => StartedCall<A>
  /** What to record; undefined for nothing: after a failure, the item can be claimed again when its lease has expired. */
  readonly outcomeOf: (exit: Exit.Exit<A, unknown>, item: Item, isDraining: boolean) => Outcome | undefined
}

/** An item in work. */
interface Held<Item> {
  item: Item
  /** When its lease expires, as elapsed time. */
  leaseEnds: number
  /** When its call times out, as elapsed time. */
  callEnds: number
  /** Undefined before it has begun, and once its exit is known or does not matter any more. */
  call: RunningCall | undefined
}

interface Unrecorded<Item, Outcome> {
  readonly of: Held<Item>
  readonly outcome: Outcome
  /** Milliseconds between the last two tries to record it; 0 if there was none. */
  wait: number
  /** When to try again, as elapsed time. */
  retryAt: number
}

/** Milliseconds. */
const idleByDefaultMillis = 3_000
const shortestWaitMillis = 10
const shortestRetryMillis = 100
const longestRetryMillis = 5_000
const longestStopMillis = 1_000

/** How many items are claimed beyond those that may be in work, if their calls return at once; and if callers commit beside them. */
const mostAhead = 40
const mostBesideCallers = 10

/** Milliseconds that the calls of a claim may take together, or what was claimed beyond is given back: nothing extends its leases. */
const longestAheadMillis = 100

/** Milliseconds for which callers are expected to come again. */
const callersStayMillis = 100

/**
 * Claims items, calls what works on them, and records how the calls end. An item costs neither a fiber nor a timer: one alarm ends the
 * calls that hang, and one command records the outcomes of all that have ended meanwhile and claims the next ones. So batches form without a
 * delay that needs tuning, and a lone item is recorded at once. While calls return at once, more are claimed than may be in work, so that
 * they share a commit.
 */
export class Worker<Item extends object, Outcome, A = unknown> {
  private readonly work: Work<Item, Outcome, A>
  private readonly scope: Scope.Scope
  private readonly clock: Clock.Clock
  private readonly fork: Fork
  private readonly idle: number
  private readonly held = new Map<unknown, Held<Item>>()
  private unrecorded: Array<Unrecorded<Item, Outcome>> = []
  /** Opens when there may be something to do. */
  private readonly more = Latch.makeUnsafe(true)
  /** Open while no item is in work. */
  private readonly empty = Latch.makeUnsafe(true)
  private readonly alarm = new Alarm((now) => this.endLate(now))
  /** How many calls have not returned, as far as they matter. */
  private running = 0
  /** How many items are claimed beyond those that may be in work at a time: none as soon as calls take longer than to claim them. */
  private ahead = 0
  /** When callers have committed, as elapsed time, and how much was committed after the last turn. */
  private callersAt = Number.NEGATIVE_INFINITY
  private committed = 0
  private isWatching: boolean
  private isReported = false
  private isDraining = false
  private isStopping = false

  private constructor(work: Work<Item, Outcome, A>, scope: Scope.Scope, clock: Clock.Clock, fork: Fork) {
    this.work = work
    this.scope = scope
    this.clock = clock
    this.fork = fork
    this.idle = work.idle ?? idleByDefaultMillis
    this.isWatching = work.watch === undefined
  }

  /**
   * Starts a worker, which stops when the scope closes: calls are cancelled, and nothing waits for those that cannot be. It does not keep
   * the process alive.
   */
  static readonly start = Effect.fnUntraced(function* <Item extends object, Outcome, A = unknown>(
    work: Work<Item, Outcome, A>
  ): Effect.fn.Return<Worker<Item, Outcome, A>, never, Scope.Scope> {
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const worker = new Worker(work, yield* Effect.scope, yield* Clock.Clock, fork)
    yield* Effect.addFinalizer(() => worker.stop)
    yield* Effect.forkScoped(worker.alarm.run)
    yield* Effect.forkScoped(Effect.forever(worker.working))
    yield* Effect.forkScoped(Effect.forever(worker.extending))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        worker.isStopping = true
      })
    )
    return worker
  })

  /** Looks for items now: call it when items have appeared that no event announced. */
  readonly wake = (): void => {
    this.more.openUnsafe()
  }

  /** Claims no more items, and waits until those in work have ended and are recorded, but no longer than this number of milliseconds. */
  drain(millis: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.isDraining = true
      // Keeps the process alive, so that it does not exit before it has closed if a call waits for nothing that does.
      return Effect.raceFirst(this.empty.await, Effect.sleep(millis))
    })
  }

  /** Whether a claim is in work, or its outcome is not recorded yet. */
  isHeld(item: Item): boolean {
    const { keyOf = (one) => one } = this.work
    return this.held.get(keyOf(item))?.item === item
  }

  private get now(): number {
    return elapsedOn(this.clock)
  }

  private readonly working: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    this.more.closeUnsafe()
    yield* this.watch
    const wait = yield* this.turn
    if (wait > 0 && !this.more.isOpen()) yield* Effect.raceFirst(this.more.await, sleep(wait))
  })

  /** All that was committed since the last turn but one command of this worker was for callers. */
  private noteCallers(): void {
    const { committed = 0 } = this.work.activity ?? {}
    if (committed - this.committed > 1) this.callersAt = this.now
    this.committed = committed
  }

  /** Records what has ended, claims what there is room for, and returns how long to wait for the next turn at most. */
  private readonly turn: Effect.Effect<number> = Effect.gen({ self: this }, function* (): Effect.fn.Return<
    number,
    StorageError
  > {
    const { work } = this
    const begin = this.now
    const batch = this.takeUnrecorded(begin)
    const room = this.roomBeside(batch)
    if (batch.length === 0 && room === 0) return this.waitUntil(undefined)
    const ended = batch.map(({ of: { item }, outcome }) => ({ item, outcome }))
    const exit = yield* Effect.exit(work.recordAndClaim(ended, room))
    this.noteCallers()
    if (Exit.isFailure(exit)) {
      this.unrecorded.push(...batch)
      for (const one of batch) {
        one.wait = Math.min(Math.max(2 * one.wait, shortestRetryMillis), longestRetryMillis)
        one.retryAt = this.now + one.wait
      }
      yield* this.report(batch.length === 0 ? "claim" : "finish", exit.cause)
      return batch.length === 0 ? this.waitUntil(undefined) : 0
    }
    if (!this.unrecorded.some(({ wait }) => wait > 0)) this.isReported = false
    const { isCut = false, items, nextDue, recorded = batch.length } = exit.value
    for (const { of } of batch.slice(0, recorded)) this.forget(of)
    this.unrecorded.unshift(...batch.slice(recorded))
    // It has claimed nothing.
    if (batch.some(({ wait }) => wait > 0)) return 0
    if (items.length > 0 || !isCut) yield* this.beginAll(items, begin)
    if (isCut) return 0
    if (this.more.isOpen() || nextDue === undefined) return this.waitUntil(undefined)
    const due = typeof nextDue === "string" ? nextDue : yield* nextDue
    return due === undefined ? this.waitUntil(undefined) : this.waitUntil(Date.parse(due) - (yield* work.millis))
  }).pipe(
    Effect.uninterruptible,
    Effect.catchCause((cause) => Effect.as(this.report("claim", cause), this.idle))
  )

  /** How long to wait, if there is nothing to claim for this number of milliseconds. */
  private waitUntil(due: number | undefined): number {
    const retryAt = this.unrecorded.reduce((first, one) => Math.min(first, one.retryAt), Number.POSITIVE_INFINITY)
    const wait = due === undefined ? this.idle : Math.min(Math.max(due, shortestWaitMillis), this.idle)
    return Math.max(0, Math.min(wait, retryAt - this.now))
  }

  /** The outcomes to record next: all new ones, or else one that could not be recorded before, so that it holds up no other. */
  private takeUnrecorded(now: number): ReadonlyArray<Unrecorded<Item, Outcome>> {
    const isNew = this.unrecorded.some(({ wait }) => wait === 0)
    const again = isNew ? undefined : this.unrecorded.find(({ retryAt }) => retryAt <= now)
    const batch = isNew ? this.unrecorded.filter(({ wait }) => wait === 0) : again === undefined ? [] : [again]
    if (batch.length > 0) this.unrecorded = this.unrecorded.filter((one) => !batch.includes(one))
    return batch
  }

  private roomBeside(batch: ReadonlyArray<Unrecorded<Item, Outcome>>): number {
    // What cannot be recorded must not keep others from being claimed.
    if (this.isDraining || batch.some(({ wait }) => wait > 0)) return 0
    return Math.max(0, this.most + this.ahead - this.held.size + batch.length)
  }

  private get most(): number {
    const { concurrency } = this.work
    return typeof concurrency === "function" ? concurrency() : concurrency
  }

  /** Begins items that were claimed at a time, some of them in each turn of the event loop; gives back those that it must not begin. */
  private beginAll(items: ReadonlyArray<Item>, claimedAt: number): Effect.Effect<void, StorageError> {
    return Effect.gen({ self: this }, function* () {
      const unwanted: Array<Item> = []
      const { most } = this
      const late = this.now + longestAheadMillis
      let isOver = turnOn(this.clock)
      for (const [place, item] of items.entries()) {
        // Calls that wait for nothing end in this turn.
        if (isOver() || (this.running >= most && unwanted.length === 0)) {
          yield* Effect.yieldNow
          isOver = turnOn(this.clock)
        }
        const isLate = place >= most && this.now >= late
        if (this.isDraining || this.running >= most || isLate) unwanted.push(item)
        else this.begin(item, claimedAt)
      }
      yield* this.lookAhead(items.length, late)
      if (unwanted.length > 0) yield* this.work.release?.(unwanted) ?? Effect.void
    })
  }

  /** Claims more next time if this many items have been claimed, as many as may be in work, and their calls have returned at once, before `late`. */
  private lookAhead(claimed: number, late: number): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const isFull = claimed >= this.most
      if (isFull && this.running > 0) yield* Effect.yieldNow
      const areShort = isFull && this.running === 0 && this.now < late
      const most = this.now - this.callersAt > callersStayMillis ? mostAhead : mostBesideCallers
      this.ahead = areShort ? Math.min(2 * this.ahead + this.most, most) : 0
    })
  }

  private begin(item: Item, now: number): void {
    const { keyOf = (one) => one, lease, start, timeout = Number.POSITIVE_INFINITY } = this.work
    const known = this.held.get(keyOf(item))
    if (known !== undefined) {
      // Its lease has expired by a clock that was set forward.
      known.item = item
      known.leaseEnds = now + lease
      return
    }
    const one: Held<Item> = { item, leaseEnds: now + lease, callEnds: now + timeout, call: undefined }
    this.held.set(keyOf(item), one)
    this.empty.closeUnsafe()
    if (this.isStopping) return
    const started = start(item, this.fork)
    if (!("onEnd" in started)) {
      this.end(one, started)
      return
    }
    one.call = started
    this.running++
    this.alarm.set(Math.min(one.leaseEnds, one.callEnds))
    started.onEnd((exit) => {
      if (one.call !== started) return
      this.returned(one)
      this.end(one, exit)
    })
  }

  private end(one: Held<Item>, exit: Exit.Exit<A, unknown>): void {
    const outcome = this.work.outcomeOf(exit, one.item, this.isDraining)
    if (outcome === undefined) {
      if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) this.fork(this.report("finish", exit.cause))
      this.forget(one)
      return
    }
    this.unrecorded.push({ of: one, outcome, wait: 0, retryAt: 0 })
    this.wake()
  }

  private forget(one: Held<Item>): void {
    const { keyOf = (item) => item } = this.work
    if (this.held.get(keyOf(one.item)) !== one) return
    this.held.delete(keyOf(one.item))
    if (this.held.size === 0) this.empty.openUnsafe()
    this.wake()
  }

  /** Cancels a call for whose exit nobody waits any more. */
  private cancel(one: Held<Item>): Effect.Effect<unknown> {
    const { call } = one
    if (call === undefined) return Effect.void
    this.returned(one)
    return call.cancel
  }

  private returned(one: Held<Item>): void {
    one.call = undefined
    this.running--
  }

  /** Cancels a call, and goes on when it has ended: what cannot be cancelled must hold up nothing else. */
  private cancelThen(one: Held<Item>, next: () => void): void {
    this.fork(Effect.ensuring(this.cancel(one), Effect.sync(next)))
  }

  /** Ends the calls that have taken too long, and those whose leases could not be extended. */
  private endLate(now: number): void {
    for (const one of this.held.values()) {
      if (one.call === undefined) continue
      if (now >= one.leaseEnds) this.cancelThen(one, () => this.forget(one))
      else if (now >= one.callEnds) {
        const late = Exit.fail(new Error(`The attempt took longer than ${this.work.timeout} ms.`))
        this.cancelThen(one, () => this.end(one, late))
      } else this.alarm.set(Math.min(one.leaseEnds, one.callEnds))
    }
  }

  private readonly extending: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    yield* sleep(this.work.lease / 3)
    if (this.held.size === 0) return
    const begin = this.now
    const claims = [...this.held.values()].map((one) => ({ one, item: one.item }))
    const exit = yield* Effect.exit(this.work.extend(claims.map(({ item }) => item)))
    if (Exit.isFailure(exit)) return yield* this.report("extend", exit.cause)
    const lost = new Set(exit.value)
    for (const { item, one } of claims) {
      if (!lost.has(item)) one.leaseEnds = Math.max(one.leaseEnds, begin + this.work.lease)
      else if (one.item === item && one.call !== undefined) this.cancelThen(one, () => this.forget(one))
    }
  })

  private readonly watch: Effect.Effect<void> = Effect.suspend(() =>
    this.isWatching || this.work.watch === undefined
      ? Effect.void
      : Effect.matchCauseEffect(Scope.provide(this.work.watch(this.wake), this.scope), {
          onFailure: (cause) => this.report("watch for", cause),
          onSuccess: () =>
            Effect.sync(() => {
              this.isWatching = true
            })
        })
  )

  /** The next attempt follows soon, and most likely fails as well. */
  private report(what: string, cause: Cause.Cause<unknown>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { name, report } = this.work
      if (report !== undefined) return report(`${what} ${name}`, cause)
      if (this.isReported) return Effect.void
      this.isReported = true
      return Effect.logWarning(`Cannot ${what} ${name}; this is tried again`, cause)
    })
  }

  /** Cancels what runs, records what has ended, and gives the rest back. */
  private readonly stop: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const { recordAndClaim, release } = this.work
    yield* inTime(Effect.forEach([...this.held.values()], (one) => this.cancel(one), { concurrency: "unbounded" }))
    const ended = this.unrecorded.map(({ of: { item }, outcome }) => ({ item, outcome }))
    for (const { of } of this.unrecorded) this.forget(of)
    if (ended.length > 0) {
      const recordAll = (all: typeof ended): Effect.Effect<void, StorageError> =>
        Effect.flatMap(recordAndClaim(all, 0), ({ recorded = all.length }) =>
          recorded < all.length ? recordAll(all.slice(recorded)) : Effect.void
        )
      const oneByOne = Effect.forEach(ended, (one) => Effect.ignoreCause(recordAndClaim([one], 0)))
      yield* inTime(Effect.catchCause(recordAll(ended), () => oneByOne))
    }
    if (release !== undefined && this.held.size > 0) {
      yield* inTime(release([...this.held.values()].map(({ item }) => item)))
    }
  })
}

/** Waits for the end of something, but not so long that it holds up the end of the process. */
const inTime = (effect: Effect.Effect<unknown, StorageError>): Effect.Effect<void> =>
  Effect.flatMap(Effect.forkDetach(Effect.ignoreCause(effect)), (fiber) =>
    Effect.raceFirst(Effect.asVoid(Fiber.await(fiber)), sleep(longestStopMillis))
  )
