import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { type PendingRequest, PendingRequests } from "./PendingRequests.ts"

const waitingFor = (timeout: number, ahead = () => 0) =>
  Effect.map(Effect.context<never>(), (context) => {
    const timers: Array<Fiber.Fiber<void>> = []
    const real = Effect.runSyncWith(context)(Clock.Clock)
    const clock = { ...real, currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + ahead() }
    const waiting = new PendingRequests(clock, timeout, (sweep) => timers.push(Effect.runForkWith(context)(sweep)))
    return { timers, waiting }
  })

class CountingRequest implements PendingRequest {
  deadline = 0
  before: PendingRequest | undefined
  after: PendingRequest | undefined
  expired = 0

  expire(): void {
    this.expired++
  }
}

const request = () => new CountingRequest()

describe("pending requests", () => {
  it.effect("given a timeout, then each expires after it, and not before", () =>
    Effect.gen(function* () {
      const { waiting } = yield* waitingFor(1_000)
      const [first, second] = [request(), request()]
      waiting.add(first)
      yield* TestClock.adjust(500)
      waiting.add(second)
      yield* TestClock.adjust(499)
      assert.deepStrictEqual([first.expired, second.expired], [0, 0])
      yield* TestClock.adjust(251)
      assert.deepStrictEqual([first.expired > 0, second.expired], [true, 0])
      waiting.delete(first)
      yield* TestClock.adjust(500)
      assert.isAbove(second.expired, 0)
      assert.strictEqual(waiting.size, 1)
    })
  )

  it.effect("given that the clock of the system is set, then each expires after its timeout nevertheless", () =>
    Effect.gen(function* () {
      for (const step of [-3_600_000, 3_600_000]) {
        let ahead = 0
        const { waiting } = yield* waitingFor(1_000, () => ahead)
        const pending = request()
        waiting.add(pending)
        ahead = step
        yield* TestClock.adjust(750)
        assert.strictEqual(pending.expired, 0)
        yield* TestClock.adjust(500)
        assert.isAbove(pending.expired, 0)
      }
    })
  )

  it.effect("given several, then they share one timer, which runs only while a request is pending", () =>
    Effect.gen(function* () {
      const { timers, waiting } = yield* waitingFor(1_000)
      const requests = [request(), request(), request()]
      for (const each of requests) waiting.add(each)
      assert.strictEqual(timers.length, 1)
      for (const each of requests) waiting.delete(each)
      yield* TestClock.adjust(10_000)
      assert.isDefined(timers[0]?.pollUnsafe())
      assert.deepStrictEqual(
        requests.map(({ expired }) => expired),
        [0, 0, 0]
      )
      waiting.add(requests[0] ?? request())
      assert.strictEqual(timers.length, 2)
    })
  )

  it.effect("given that they end in any order, then the others stay, and those that have ended refer to none", () =>
    Effect.gen(function* () {
      for (const order of [
        [0, 1, 2],
        [2, 1, 0],
        [1, 0, 2],
        [1, 2, 0]
      ]) {
        const { waiting } = yield* waitingFor(1_000)
        const requests = [request(), request(), request()]
        for (const each of requests) waiting.add(each)
        for (const [ended, index] of order.entries()) {
          const each = requests[index] ?? request()
          waiting.delete(each)
          // Nothing happens the second time.
          waiting.delete(each)
          assert.deepStrictEqual([each.before, each.after], [undefined, undefined])
          waiting.expireAll()
          const expected = requests.map((_, other) => (order.indexOf(other) > ended ? 1 : 0))
          assert.deepStrictEqual(
            requests.map(({ expired }) => expired),
            expected
          )
          for (const other of requests) other.expired = 0
          assert.strictEqual(waiting.size, 2 - ended)
        }
      }
    })
  )

  it.effect("given that the last one ends, then the waiter for that is notified", () =>
    Effect.gen(function* () {
      const { waiting } = yield* waitingFor(1_000)
      yield* waiting.empty
      const only = request()
      waiting.add(only)
      const fiber = yield* Effect.forkChild(waiting.empty, { startImmediately: true })
      assert.isUndefined(fiber.pollUnsafe())
      waiting.delete(only)
      yield* Fiber.join(fiber)
    })
  )
})
