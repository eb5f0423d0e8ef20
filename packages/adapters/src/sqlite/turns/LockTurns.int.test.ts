import { writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { retrySoon } from "../connection/busyRetry.ts"
import { LockTurns } from "./LockTurns.ts"

const sleep = (milliseconds: number) =>
  Effect.promise(() => new Promise((resolve) => setTimeout(resolve, milliseconds)))

/** The turns of one process, on a database in a folder of its own or on that of another process. */
const turnsOn = (file: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new LockTurns(file)),
    (turns) => Effect.sync(() => turns.close())
  )
const database = Effect.tap(temporaryFileInMemory, (file) => Effect.sync(() => writeFileSync(file, "")))
const turnsAlone = Effect.flatMap(database, turnsOn)

/** Waits until it is the turn of a process. */
const turnOf = (turns: LockTurns) => Effect.promise(() => new Promise<void>((resolve) => turns.take(resolve, 0)))

/** How often it is the turn of a process within so many milliseconds, if another one holds the lock. */
const attemptsWithin = (turns: LockTurns, milliseconds: number) =>
  Effect.gen(function* () {
    let attempts = 0
    for (const end = performance.now() + milliseconds; performance.now() < end; attempts++) {
      yield* turnOf(turns)
      turns.refused()
    }
    return attempts
  })

/** How many milliseconds pass from something that a process does until it is its turn. */
const waitAfter = (turns: LockTurns, act: () => void) =>
  Effect.gen(function* () {
    const start = performance.now()
    act()
    yield* turnOf(turns)
    return performance.now() - start
  })

/** The least of many results: a machine may be busy with something else in some of them. */
const least = <E, R>(measure: Effect.Effect<number, E, R>, times = 30) =>
  Effect.map(Effect.replicateEffect(measure, times), (results) => Math.min(...results))

/** Work that takes part in each turn of the event loop; `turns` counts them. */
const otherWork = Effect.acquireRelease(
  Effect.sync(() => {
    const work = { turns: 0, next: setImmediate(() => takePart()) }
    const takePart = (): void => {
      work.turns++
      work.next = setImmediate(takePart)
    }
    return work
  }),
  (work) => Effect.sync(() => clearImmediate(work.next))
)

describe("given another program that holds the lock and wakes nobody", () => {
  it.live("then attempts follow each other so fast that they see it released and taken again", () =>
    Effect.gen(function* () {
      const turns = yield* turnsAlone
      // A timer would take 1 ms at least.
      assert.isBelow(yield* least(waitAfter(turns, () => turns.refused())), 0.9)
    })
  )

  it.live("then they become rare while it is held for long", () =>
    Effect.gen(function* () {
      const start = performance.now()
      yield* Effect.promise(() => new Promise<void>((resolve) => retrySoon(2_000, resolve)))
      assert.isAtLeast(performance.now() - start, 3)
    })
  )

  it.live("then other work of the event loop runs between two attempts", () =>
    Effect.gen(function* () {
      const turns = yield* turnsAlone
      turns.refused()
      const work = yield* otherWork
      const attempts = yield* attemptsWithin(turns, 20)
      assert.isAtLeast(work.turns, attempts - 1)
    })
  )

  it.effect("then the wait begins with the first refusal, and again after its end", () =>
    Effect.gen(function* () {
      const turns = yield* turnsAlone
      assert.deepStrictEqual([turns.refused(), turns.refused()], [true, false])
      turns.endWait()
      assert.isTrue(turns.refused())
    })
  )
})

describe("given a queue that one group does not empty", () => {
  it.live("then a turn of the event loop passes for every four members of the group before the next one runs", () =>
    Effect.gen(function* () {
      const turns = yield* turnsAlone
      const work = yield* otherWork
      const turnsAfter = (members: number) =>
        Effect.gen(function* () {
          const start = work.turns
          yield* Effect.promise(() => new Promise<void>((resolve) => turns.take(resolve, members)))
          return work.turns - start
        })
      // The most of many, since a machine may be busy for the time after which the group runs anyway.
      const most = Effect.forEach([0, 64, 256], (members) =>
        Effect.map(Effect.replicateEffect(turnsAfter(members), 30), (results) => Math.max(...results))
      )
      assert.deepStrictEqual(yield* most, [1, 16, 64])
    })
  )
})

describe("given a process that releases the lock", () => {
  it.live("when others write, then it leaves the lock free for long enough that one of them takes it", () =>
    Effect.gen(function* () {
      const turns = yield* turnsAlone
      const wait = waitAfter(turns, () => {
        turns.refused()
        turns.endWait()
        turns.released()
      })
      assert.isAtLeast(yield* least(wait), 0.29)
    })
  )

  it.live("when nobody else has written for a while, then it takes the lock again at once", () =>
    Effect.gen(function* () {
      const turns = yield* turnsAlone
      turns.refused()
      turns.endWait()
      yield* sleep(120)
      const naps = vi.spyOn(Atomics, "wait")
      yield* Effect.addFinalizer(() => Effect.sync(() => naps.mockRestore()))
      const release = waitAfter(turns, () => turns.released())
      yield* Effect.replicateEffect(release, 10)
      assert.strictEqual(naps.mock.calls.length, 0)
    })
  )
})

describe("given processes that wake each other", () => {
  /** One that has the lock, and one that has been refused it. */
  const holderAndWaiter = Effect.gen(function* () {
    const file = yield* database
    const [holder, waiter] = [yield* turnsOn(file), yield* turnsOn(file)]
    holder.refused()
    holder.endWait()
    waiter.refused()
    return { holder, waiter }
  })

  it.live("while one holds the lock, then another one tries for it only now and then", () =>
    Effect.gen(function* () {
      const attempts = Effect.flatMap(holderAndWaiter, ({ waiter }) => attemptsWithin(waiter, 40))
      // Some 6 by timers of 4 to 12 ms; 150 without the queue.
      assert.isBelow(yield* least(attempts, 5), 15)
    })
  )

  it.live("when it releases the lock, then the other one is woken, and tries at once", () =>
    Effect.gen(function* () {
      const wake = Effect.gen(function* () {
        const { holder, waiter } = yield* holderAndWaiter
        const turn = Effect.runPromise(turnOf(waiter))
        const start = performance.now()
        holder.released()
        yield* Effect.promise(() => turn)
        return performance.now() - start
      })
      // A timer would take 4 ms at least.
      assert.isBelow(yield* least(wake), 4)
    })
  )

  it.live("when it has been woken and the lock is still held, then it tries often for a while", () =>
    Effect.gen(function* () {
      const attempts = Effect.gen(function* () {
        const { holder, waiter } = yield* holderAndWaiter
        const turn = Effect.runPromise(turnOf(waiter))
        holder.released()
        yield* Effect.promise(() => turn)
        waiter.refused()
        return yield* waitAfter(waiter, () => {})
      })
      assert.isBelow(yield* least(attempts), 2)
    })
  )

  it.live("then the one that has woken another one leaves it the time to take the lock", () =>
    Effect.gen(function* () {
      // Timers are looked at in each turn, and may end early.
      yield* otherWork
      const wait = Effect.flatMap(holderAndWaiter, ({ holder, waiter }) =>
        waitAfter(holder, () => {
          waiter.refused()
          holder.released()
        })
      )
      assert.isAtLeast(yield* least(wait, 10), 1)
    })
  )

  it.live("when the other one has taken and released the lock, then the first is woken before that time is over", () =>
    Effect.gen(function* () {
      const turn = Effect.gen(function* () {
        const { holder, waiter } = yield* holderAndWaiter
        return yield* waitAfter(holder, () => {
          holder.released()
          setImmediate(() => {
            waiter.endWait()
            waiter.released()
          })
        })
      })
      assert.isBelow(yield* least(turn), 1)
    })
  )
})
