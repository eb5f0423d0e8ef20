import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { givenLogger } from "../../../test/support/givenLogger.ts"
import { StorageBusy } from "../../domain/errors/ServiceErrors.ts"
import { claimed, isCurrent, isHeld, type Lease, released, unclaimed } from "../../domain/Lease.ts"
import { formatTimestamp } from "../../domain/Timestamp.ts"
import { CallSignal, startFiber, startFunction } from "./calls.ts"
import { type Work, Worker } from "./Worker.ts"

interface Job {
  readonly id: number
  readonly fence: number
}

const lease = 30_000

/** Rows with leases, as a store would keep them, and a worker's view of them. */
const givenJobs = (count: number) => {
  const leases = new Map<number, Lease>()
  for (let id = 1; id <= count; id++) leases.set(id, unclaimed)
  const now = Effect.map(Clock.currentTimeMillis, formatTimestamp)
  const state = {
    leases,
    claims: 0,
    extensions: 0,
    releases: 0,
    failing: false,
    done: [] as Array<number>,
    refused: [] as Array<number>
  }
  const check = Effect.suspend(() => (state.failing ? Effect.fail(new StorageBusy({})) : Effect.void))
  const claim = (limit: number) =>
    Effect.gen(function* () {
      state.claims++
      yield* check
      const at = yield* now
      const items: Array<Job> = []
      for (const [id, row] of leases) {
        if (items.length === limit || isHeld(row, at)) continue
        const next = claimed(row, at, lease)
        leases.set(id, next)
        items.push({ id, fence: next.fence })
      }
      const ends = [...leases.values()].flatMap(({ until }) => until ?? []).sort()
      return { items, nextDue: ends[0] }
    })
  const extend = (items: ReadonlyArray<Job>) =>
    Effect.gen(function* () {
      state.extensions++
      yield* check
      const at = yield* now
      return items.filter(({ fence, id }) => {
        const row = leases.get(id)
        if (row === undefined || !isCurrent(row, fence)) return true
        leases.set(id, { fence, until: formatTimestamp(Date.parse(at) + lease) })
        return false
      })
    })
  const release = (items: ReadonlyArray<Job>) =>
    Effect.sync(() => {
      state.releases += items.length
      for (const { fence, id } of items) {
        const row = leases.get(id)
        if (row !== undefined && isCurrent(row, fence)) leases.set(id, released(row))
      }
    })
  /** Acknowledges with the fence. */
  const finish = ({ fence, id }: Job) =>
    Effect.sync(() => {
      const row = leases.get(id)
      const isLatest = row !== undefined && isCurrent(row, fence)
      if (isLatest) leases.delete(id)
      ;(isLatest ? state.done : state.refused).push(id)
    })
  /** Work that records its outcomes itself. */
  const work = (run: (job: Job) => Effect.Effect<unknown, unknown>, concurrency = 2): Work<Job, never> => ({
    name: "jobs",
    lease,
    millis: Clock.currentTimeMillis,
    concurrency,
    recordAndClaim: (_, limit) => claim(limit),
    extend,
    release,
    start: (job, fork) => startFiber(run(job), fork),
    outcomeOf: () => undefined
  })
  return { ...state, state, finish, work }
}

describe("a worker", () => {
  it.effect("given more items than may run at once, then it does all of them, never more at a time", () =>
    Effect.gen(function* () {
      const { finish, state, work } = givenJobs(20)
      let active = 0
      let most = 0
      yield* Worker.start(
        work(
          (job) =>
            Effect.gen(function* () {
              most = Math.max(most, ++active)
              yield* Effect.sleep(10)
              active--
              yield* finish(job)
            }),
          3
        )
      )
      yield* TestClock.adjust(200)
      assert.strictEqual(most, 3)
      assert.sameMembers(
        state.done,
        [...Array(20).keys()].map((index) => index + 1)
      )
    })
  )

  it.effect("given an item that takes several leases, then heartbeats keep it", () =>
    Effect.gen(function* () {
      const { finish, state, work } = givenJobs(1)
      const slow = (job: Job) => Effect.andThen(Effect.sleep(10 * lease), finish(job))
      yield* Worker.start(work(slow))
      yield* Worker.start(work(slow))
      yield* TestClock.adjust(11 * lease)
      assert.deepStrictEqual([state.done, state.refused], [[1], []])
      assert.strictEqual(state.extensions, 29)
    })
  )

  it.effect("given a worker that does not extend its lease, then another one takes over when it expires", () =>
    Effect.gen(function* () {
      const { finish, state, work } = givenJobs(1)
      const dead = yield* Scope.make()
      const first = work(() => Effect.never)
      const recordAndClaim: typeof first.recordAndClaim = (ended, limit) =>
        state.claims === 0 ? first.recordAndClaim(ended, limit) : Effect.never
      yield* Scope.provide(Worker.start({ ...first, recordAndClaim, extend: () => Effect.never }), dead)
      yield* TestClock.adjust(1)
      yield* Worker.start(work(finish))
      yield* TestClock.adjust(lease - 2)
      assert.deepStrictEqual(state.done, [])
      yield* TestClock.adjust(20)
      assert.deepStrictEqual(state.done, [1])
    })
  )

  it.effect(
    "given that another worker has taken an item over, then the run is interrupted and its acknowledgement is refused",
    () =>
      Effect.gen(function* () {
        const { finish, leases, state, work } = givenJobs(1)
        let interrupted = 0
        yield* Worker.start(
          work((job) =>
            Effect.onInterrupt(Effect.never, () =>
              Effect.andThen(
                Effect.sync(() => interrupted++),
                finish(job)
              )
            )
          )
        )
        yield* TestClock.adjust(1)
        leases.set(1, claimed(leases.get(1) ?? unclaimed, "1970-01-01T00:00:00.000Z", 500_000))
        yield* TestClock.adjust(lease / 3)
        assert.strictEqual(interrupted, 1)
        assert.deepStrictEqual([state.done, state.refused], [[], [1]])
      })
  )

  it.effect(
    "given a store that fails, then a run ends with its lease, and work goes on when the store works again",
    () =>
      Effect.gen(function* () {
        const { finish, state, work } = givenJobs(1)
        let runs = 0
        let ended = 0
        const first = Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended++))
        yield* Worker.start(work((job) => (runs++ === 0 ? first : finish(job))))
        yield* TestClock.adjust(1)
        state.failing = true
        yield* TestClock.adjust(lease - 2)
        assert.strictEqual(ended, 0)
        yield* TestClock.adjust(lease)
        assert.deepStrictEqual([runs, ended, state.done], [1, 1, []])
        state.failing = false
        yield* TestClock.adjust(3_000)
        assert.deepStrictEqual([runs, state.done], [2, [1]])
      })
  )

  it.effect("given a run that fails or dies, then the item is claimed again after its lease", () =>
    Effect.gen(function* () {
      const { finish, state, work } = givenJobs(2)
      const failed = new Set<number>()
      yield* Worker.start({
        ...work((job) => {
          if (failed.has(job.id)) return finish(job)
          failed.add(job.id)
          return job.id === 1 ? Effect.fail(new StorageBusy({})) : Effect.die(new Error("broken"))
        })
      })
      yield* TestClock.adjust(lease - 1)
      assert.deepStrictEqual(state.done, [])
      yield* TestClock.adjust(3_000)
      assert.deepStrictEqual(state.done, [1, 2])
    })
  )

  it.effect(
    "given a run in progress, when the scope closes, then it is interrupted and its item released at once",
    () =>
      Effect.gen(function* () {
        const { leases, state, work } = givenJobs(1)
        const scope = yield* Scope.make()
        yield* Scope.provide(Worker.start(work(() => Effect.never)), scope)
        yield* TestClock.adjust(1)
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(state.releases, 1)
        assert.deepStrictEqual(leases.get(1), { fence: 1 })
        const { claims } = state
        yield* TestClock.adjust(100 * lease)
        assert.deepStrictEqual([state.claims, state.extensions], [claims, 0])
      })
  )

  it.effect("given that nothing runs, when the scope closes, then nothing is released", () =>
    Effect.gen(function* () {
      const { work } = givenJobs(0)
      const scope = yield* Scope.make()
      let releases = 0
      const release = () => Effect.sync(() => void releases++)
      yield* Scope.provide(Worker.start({ ...work(() => Effect.void), release }), scope)
      yield* TestClock.adjust(1)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(releases, 0)
    })
  )

  it.effect("given a release that hangs, when the scope closes, then it closes after a second", () =>
    Effect.gen(function* () {
      const { work } = givenJobs(1)
      const scope = yield* Scope.make()
      yield* Scope.provide(Worker.start({ ...work(() => Effect.never), release: () => Effect.never }), scope)
      yield* TestClock.adjust(1)
      const closed = yield* Deferred.make<void>()
      yield* Effect.forkChild(Effect.andThen(Scope.close(scope, Exit.void), Deferred.succeed(closed, undefined)))
      yield* TestClock.adjust(999)
      assert.isFalse(yield* Deferred.isDone(closed))
      yield* TestClock.adjust(1)
      assert.isTrue(yield* Deferred.isDone(closed))
    })
  )

  it.effect(
    "given no items, then it looks for some after a wake-up, after a commit and at the latest after the idle time",
    () =>
      Effect.gen(function* () {
        const { state, work } = givenJobs(0)
        let notify = () => {}
        const watch = (call: () => void) =>
          Effect.sync(() => {
            notify = call
          })
        const worker = yield* Worker.start({ ...work(() => Effect.void), watch })
        yield* TestClock.adjust(1)
        assert.strictEqual(state.claims, 1)
        worker.wake()
        yield* TestClock.adjust(1)
        assert.strictEqual(state.claims, 2)
        notify()
        notify()
        yield* TestClock.adjust(1)
        assert.strictEqual(state.claims, 3)
        yield* TestClock.adjust(2_999)
        assert.strictEqual(state.claims, 4)
      })
  )

  it.effect("given as many items in work as may be, then it looks for no more", () =>
    Effect.gen(function* () {
      const { state, work } = givenJobs(3)
      yield* Worker.start(work(() => Effect.never))
      yield* TestClock.adjust(20_000)
      assert.strictEqual(state.claims, 1)
    })
  )

  it.effect("given a store that fails twice, then each time is logged once", () =>
    Effect.gen(function* () {
      const { state, work } = givenJobs(0)
      const { logged, logging } = givenLogger()
      yield* logging(Worker.start(work(() => Effect.never)))
      for (const failing of [true, false, true]) {
        state.failing = failing
        yield* TestClock.adjust(9_000)
      }
      assert.deepStrictEqual(
        logged.map((message) => message.split(";")[0]),
        ["Cannot claim jobs", "Cannot claim jobs"]
      )
    })
  )

  it.effect("given a watch that fails at first, then it is tried again", () =>
    Effect.gen(function* () {
      const { state, work } = givenJobs(0)
      let attempts = 0
      const watch = () => Effect.suspend(() => (++attempts < 3 ? Effect.fail(new StorageBusy({})) : Effect.void))
      yield* Worker.start({ ...work(() => Effect.void), watch })
      yield* TestClock.adjust(30_000)
      assert.strictEqual(attempts, 3)
      assert.strictEqual(state.claims, 11)
    })
  )
})

/** Rows that wait, and what a worker has recorded of them. `poison`: one that cannot be recorded. */
const givenOutcomes = (count: number, poison?: number) => {
  const waiting = Array.from({ length: count }, (_, index) => index + 1)
  const state = {
    waiting,
    batches: [] as Array<ReadonlyArray<number>>,
    done: [] as Array<number>,
    errors: [] as Array<string>,
    released: [] as Array<number>,
    poison
  }
  const start = (run: (job: Job) => Effect.Effect<unknown, unknown>, more: Partial<Work<Job, string>> = {}) =>
    Worker.start<Job, string>({
      name: "jobs",
      lease,
      millis: Clock.currentTimeMillis,
      concurrency: 10,
      keyOf: ({ id }) => id,
      recordAndClaim: (ended, limit) =>
        Effect.suspend(() => {
          if (ended.length > 0) state.batches.push(ended.map(({ item }) => item.id))
          if (ended.some(({ item }) => item.id === state.poison)) return Effect.fail(new StorageBusy({}))
          for (const { item, outcome } of ended) {
            state.done.push(item.id)
            if (outcome !== "done") state.errors.push(outcome)
          }
          return Effect.succeed({ items: waiting.splice(0, limit).map((id) => ({ id, fence: 1 })) })
        }),
      extend: () => Effect.succeed([]),
      release: (items) => Effect.sync(() => state.released.push(...items.map(({ id }) => id))),
      start: (job, fork) => startFiber(run(job), fork),
      outcomeOf: (exit) => (Exit.isSuccess(exit) ? "done" : String(Cause.squash(exit.cause))),
      ...more
    })
  return { state, start }
}

const upTo = (count: number) => [...Array(count).keys()].map((index) => index + 1)

describe("a worker that records outcomes", () => {
  it.effect("given items that end at once, then they are recorded together, and the next ones claimed with them", () =>
    Effect.gen(function* () {
      const { start, state } = givenOutcomes(25)
      yield* start(() => Effect.void, { start: () => Exit.void })
      while (state.waiting.length > 0 || state.done.length < 25) yield* Effect.yieldNow
      assert.deepStrictEqual(state.batches, [upTo(10), upTo(25).slice(10)])
    })
  )

  it.effect("given calls that return at once, asynchronous ones too, then more share a turn than may be in work", () =>
    Effect.gen(function* () {
      const { start, state } = givenOutcomes(200)
      let active = 0
      let most = 0
      const call = async () => {
        most = Math.max(most, ++active)
        await Promise.resolve()
        active--
      }
      yield* start(() => Effect.void, { start: () => startFunction(call, new CallSignal()) })
      while (state.done.length < 200) yield* Effect.yieldNow
      assert.deepStrictEqual(
        state.batches.map(({ length }) => length),
        [10, 20, 40, 50, 50, 30]
      )
      assert.strictEqual(most, 10)
      assert.deepStrictEqual(state.released, [])
    })
  )

  it("given the signal of a call, then it is aborted with the call alone, also when it is read later", () => {
    const [early, late] = [new CallSignal(), new CallSignal()]
    const { signal } = early
    assert.isFalse(signal.aborted)
    for (const call of [early, late]) call.abort()
    assert.deepStrictEqual([signal.aborted, late.signal.aborted], [true, true])
  })

  it.effect("given callers that commit beside it, then fewer are claimed beyond those that may be in work", () =>
    Effect.gen(function* () {
      const { start, state } = givenOutcomes(60)
      let committed = 0
      const activity = {
        get committed() {
          // In each turn one more than its own.
          committed += 2
          return committed
        }
      }
      yield* start(() => Effect.void, { start: () => Exit.void, activity })
      while (state.done.length < 60) yield* Effect.yieldNow
      assert.deepStrictEqual(
        state.batches.map(({ length }) => length),
        [10, 20, 20, 10]
      )
    })
  )

  it.effect("given calls that wait after some that did not, then those beyond what may be in work are given back", () =>
    Effect.gen(function* () {
      const { start, state } = givenOutcomes(60)
      const begun: Array<number> = []
      yield* start(() => Effect.void, {
        start: ({ id }, fork) => {
          begun.push(id)
          return id <= 10 ? Exit.void : startFiber(Effect.never, fork)
        }
      })
      yield* TestClock.adjust(lease)
      assert.deepStrictEqual(begun, upTo(20))
      assert.deepStrictEqual(state.done, upTo(10))
      assert.deepStrictEqual(state.released, upTo(30).slice(20))
    })
  )

  it.effect(
    "given calls that block, then no more are claimed than may be in work, and those beyond are given back",
    () =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        let nanos = 0n
        const blocked: Clock.Clock = { ...clock, monotonicTimeNanosUnsafe: () => nanos }
        const { start, state } = givenOutcomes(45)
        // The first ten return at once.
        const begin = ({ id }: Job) => {
          nanos += id <= 10 ? 0n : 20_000_000n
          return Exit.void
        }
        yield* Effect.provideService(
          start(() => Effect.void, { start: begin }),
          Clock.Clock,
          blocked
        )
        while (state.done.length < 35) yield* Effect.yieldNow
        assert.deepStrictEqual(state.batches, [upTo(10), upTo(20).slice(10), upTo(40).slice(30), upTo(45).slice(40)])
        assert.deepStrictEqual(state.released, upTo(30).slice(20))
      })
  )

  it.effect("given an outcome that cannot be recorded, then it is tried again, and the others are done meanwhile", () =>
    Effect.gen(function* () {
      const { start, state } = givenOutcomes(50, 2)
      yield* start(() => Effect.sleep(1))
      yield* TestClock.adjust(60_000)
      assert.sameMembers(
        state.done,
        upTo(50).filter((id) => id !== 2)
      )
      state.poison = undefined
      yield* TestClock.adjust(5_000)
      assert.sameMembers(state.done, upTo(50))
      // Each time alone, and after the first seconds every five.
      assert.isBelow(state.batches.filter((batch) => batch.length === 1 && batch[0] === 2).length, 22)
    })
  )

  it.effect(
    "given turns that end before all is recorded, then the rest follows, in order and before more is claimed",
    () =>
      Effect.gen(function* () {
        const { start, state } = givenOutcomes(20)
        const perTurn = 4
        const limits: Array<number> = []
        const first = upTo(10)
        const recordAndClaim: Work<Job, string>["recordAndClaim"] = (ended, limit) =>
          Effect.sync(() => {
            limits.push(limit)
            const recorded = ended.slice(0, perTurn)
            state.done.push(...recorded.map(({ item }) => item.id))
            const isCut = recorded.length < ended.length
            const ids = isCut ? [] : first.splice(0, limit)
            return { items: ids.map((id) => ({ id, fence: 1 })), recorded: recorded.length, isCut }
          })
        yield* start(() => Effect.void, { start: () => Exit.void, recordAndClaim })
        while (state.done.length < 10) yield* Effect.yieldNow
        assert.deepStrictEqual(state.done, upTo(10))
        assert.deepStrictEqual(limits.slice(0, 4), [10, 20, 20, 20])
      })
  )

  it.effect("given items that take long to begin, then others go on between them", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let nanos = 0n
      const slow: Clock.Clock = { ...clock, monotonicTimeNanosUnsafe: () => nanos }
      const order: Array<number | string> = []
      const { start, state } = givenOutcomes(6)
      const begin = ({ id }: Job) => {
        nanos += 1_000_000n
        order.push(id)
        return Exit.void
      }
      yield* Effect.provideService(
        start(() => Effect.void, { start: begin }),
        Clock.Clock,
        slow
      )
      while (state.done.length < 6) {
        yield* Effect.yieldNow
        order.push("other")
      }
      assert.isAtLeast(order.lastIndexOf(6) - order.indexOf(1), 7)
    })
  )

  it.effect("given a call that takes too long, then it is interrupted, and that is its outcome", () =>
    Effect.gen(function* () {
      const { start, state } = givenOutcomes(2)
      let interrupted = 0
      const hang = Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
      yield* start(({ id }) => (id === 1 ? hang : Effect.void), { timeout: 5_000 })
      yield* TestClock.adjust(4_999)
      assert.deepStrictEqual([state.done, interrupted], [[2], 0])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual([state.done, interrupted], [[2, 1], 1])
      assert.deepStrictEqual(state.errors, ["Error: The attempt took longer than 5000 ms."])
    })
  )

  it.effect("given an item that is claimed again while it is in work, then it is not called again", () =>
    Effect.gen(function* () {
      const { start, state } = givenOutcomes(1)
      let calls = 0
      const { wake } = yield* start(() =>
        Effect.andThen(
          Effect.sync(() => calls++),
          Effect.sleep(1_000)
        )
      )
      yield* TestClock.adjust(10)
      state.waiting.push(1)
      wake()
      yield* TestClock.adjust(2_000)
      assert.deepStrictEqual([calls, state.done], [1, [1]])
    })
  )

  it.effect("given an item that is claimed again while no lease can be extended, then its call goes on", () =>
    Effect.gen(function* () {
      const { start, state } = givenOutcomes(1)
      const { wake } = yield* start(() => Effect.sleep(lease + 10_000), {
        extend: () => Effect.fail(new StorageBusy({}))
      })
      yield* TestClock.adjust(lease - 10_000)
      state.waiting.push(1)
      wake()
      yield* TestClock.adjust(20_000)
      assert.deepStrictEqual([state.done, state.errors], [[1], []])
    })
  )

  it.effect("given a worker that drains, then it waits for what is in work, and claims no more", () =>
    Effect.gen(function* () {
      const { start, state } = givenOutcomes(1)
      const worker = yield* start(() => Effect.sleep(1_000))
      yield* TestClock.adjust(10)
      const drained = yield* Effect.forkChild(worker.drain(5_000))
      yield* TestClock.adjust(10)
      state.waiting.push(2)
      worker.wake()
      yield* TestClock.adjust(900)
      assert.isUndefined(drained.pollUnsafe())
      yield* TestClock.adjust(100)
      assert.isDefined(drained.pollUnsafe())
      assert.deepStrictEqual([state.done, state.waiting], [[1], [2]])
    })
  )

  it.effect("given a store that fails, when the scope closes, then each outcome is recorded that can be", () =>
    Effect.gen(function* () {
      const { start, state } = givenOutcomes(4, 1)
      const scope = yield* Scope.make()
      const stuck = Effect.uninterruptible(Effect.never)
      yield* Scope.provide(
        start(({ id }) => (id === 3 ? Effect.never : id === 4 ? stuck : Effect.void)),
        scope
      )
      yield* TestClock.adjust(10)
      yield* Effect.forkChild(Scope.close(scope, Exit.void))
      // What cannot be interrupted is waited for, for a second.
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual([state.done, state.released], [[2], [3, 4]])
    })
  )
})
