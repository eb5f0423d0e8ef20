import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Scope from "effect/Scope"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { elapsedMillis, sleep } from "./sleep.ts"

/** Items that a worker has claimed. */
export interface Claimed<Item> {
  /** At most as many as asked for. Each is an object of its own, which identifies the claim. */
  readonly items: ReadonlyArray<Item>
  /** When there will be more to claim without a commit: the next attempt that is due, or the next lease that expires. */
  readonly nextDue?: string | undefined
}

/** Work on rows of the store that workers of several processes share by leases. */
export interface Work<Item> {
  /** What the items are, for log messages: "messages", for example. */
  readonly name: string
  /** Milliseconds that a lease lasts unless it is extended, which happens three times in this time. */
  readonly lease: number
  /** The time by which items are due, as {@link storeMillis}. */
  readonly millis: Effect.Effect<number>
  /** How many items are in work at the same time; a function if it may change. */
  readonly concurrency: number | (() => number)
  /** Milliseconds after which to look for items although nothing announced any; 3 s by default. */
  readonly idle?: number
  /** {@link Storage.watch}, if commits may bring items. */
  readonly watch?: Storage["Service"]["watch"]
  /** Claims at most `limit` due items in one short transaction. */
  readonly claim: (limit: number) => Effect.Effect<Claimed<Item>, StorageError>
  /** Extends the leases of items in one short transaction, and returns those whose fence has moved on. */
  readonly extend: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Item>, StorageError>
  /**
   * Does the work outside of transactions, and acknowledges it with the fence in a short transaction of its own. It is
   * interrupted when the lease is lost and when the engine stops. If it fails, the item can be claimed again when its lease
   * has expired.
   */
  readonly run: (item: Item) => Effect.Effect<void, StorageError>
  /** Gives back the items whose run was interrupted because the engine stops, so that another worker need not wait. */
  readonly release?: (items: ReadonlyArray<Item>) => Effect.Effect<void, StorageError>
}

/** A worker that runs. */
export interface Worker {
  /** Looks for items now: call it when items have appeared that no event announced. */
  readonly wake: () => void
}

/** An item in work. */
interface Held {
  /** When its lease expires, as {@link elapsedMillis}. */
  deadline: number
  /** Opens when another worker has claimed the item. */
  readonly lost: Latch.Latch
}

/** Milliseconds. */
const idleByDefault = 3_000
const shortestWait = 10
const longestRelease = 1_000

/**
 * Starts a worker, which stops when the scope closes: runs are interrupted, and nothing waits for work that cannot be. It
 * does not keep the process alive.
 */
export const startWorker = Effect.fnUntraced(function* <Item extends object>(
  work: Work<Item>
): Effect.fn.Return<Worker, never, Scope.Scope> {
  const { concurrency, idle = idleByDefault, lease, name } = work
  const scope = yield* Effect.scope
  const more = Latch.makeUnsafe(true)
  const wake = (): void => {
    more.openUnsafe()
  }
  const held = new Map<Item, Held>()
  let isWatching = work.watch === undefined
  let isReported = false
  let isStopping = false

  yield* Effect.addFinalizer(() =>
    work.release === undefined || held.size === 0 ? Effect.void : inTime(work.release([...held.keys()]))
  )
  const runs = yield* FiberSet.make<void>()

  /** Logs the first of several failures in a row: the next attempt follows soon, and most likely fails as well. */
  const report = (what: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (isReported) return Effect.void
      isReported = true
      return Effect.logWarning(`Cannot ${what} ${name}; this is tried again`, cause)
    })

  const start = (item: Item, begin: number) => {
    const claim: Held = { deadline: begin + lease, lost: Latch.makeUnsafe() }
    held.set(item, claim)
    const run = Effect.catchCause(work.run(item), (cause) => report("finish", cause))
    return FiberSet.run(
      runs,
      Effect.ensuring(
        Effect.raceFirst(run, Effect.raceFirst(claim.lost.await, expiry(claim))),
        Effect.sync(() => {
          // Items that are in work when the worker stops are released then.
          if (isStopping) return
          held.delete(item)
          more.openUnsafe()
        })
      )
    )
  }

  /** Claims what there is room for, and returns how long to wait for the next claim at most. */
  const claim = Effect.gen(function* () {
    const room = (typeof concurrency === "function" ? concurrency() : concurrency) - held.size
    if (room <= 0) return idle
    const begin = yield* elapsedMillis
    const exit = yield* Effect.exit(work.claim(room))
    if (Exit.isFailure(exit)) {
      yield* report("claim", exit.cause)
      return idle
    }
    isReported = false
    const { items, nextDue } = exit.value
    for (const item of items) yield* start(item, begin)
    if (nextDue === undefined) return idle
    const now = yield* work.millis
    return Math.min(Math.max(Date.parse(nextDue) - now, shortestWait), idle)
  }).pipe(Effect.uninterruptible)

  const watch = Effect.suspend(() =>
    isWatching || work.watch === undefined
      ? Effect.void
      : Effect.matchCauseEffect(Scope.provide(work.watch(wake), scope), {
          onFailure: (cause) => report("watch for", cause),
          onSuccess: () =>
            Effect.sync(() => {
              isWatching = true
            })
        })
  )

  const claiming = Effect.gen(function* () {
    yield* more.close
    yield* watch
    const wait = yield* claim
    yield* Effect.raceFirst(more.await, sleep(wait))
  })

  const extending = Effect.gen(function* () {
    yield* sleep(lease / 3)
    if (held.size === 0) return
    const begin = yield* elapsedMillis
    const items = [...held.keys()]
    const lost = new Set(yield* work.extend(items))
    for (const item of items) {
      const claim = held.get(item)
      if (claim === undefined) continue
      if (lost.has(item)) claim.lost.openUnsafe()
      else claim.deadline = begin + lease
    }
  }).pipe(
    Effect.catchCause((cause) => (Cause.hasInterrupts(cause) ? Effect.failCause(cause) : report("extend", cause)))
  )

  yield* Effect.forkScoped(Effect.forever(claiming))
  yield* Effect.forkScoped(Effect.forever(extending))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isStopping = true
    })
  )
  return { wake }
})

/** Ends when the lease of an item has expired, because it could not be extended. */
const expiry = (claim: Held): Effect.Effect<void> =>
  Effect.flatMap(elapsedMillis, (now) =>
    now >= claim.deadline
      ? Effect.void
      : Effect.andThen(
          sleep(claim.deadline - now),
          Effect.suspend(() => expiry(claim))
        )
  )

/** Waits for a release, but not so long that it holds up the end of the process. */
const inTime = (release: Effect.Effect<void, StorageError>): Effect.Effect<void> =>
  Effect.flatMap(Effect.forkDetach(Effect.ignoreCause(release)), (fiber) =>
    Effect.raceFirst(Effect.asVoid(Fiber.await(fiber)), sleep(longestRelease))
  )
