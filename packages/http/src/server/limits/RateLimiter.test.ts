import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { RateLimiter } from "./RateLimiter.ts"

const refusedFor = (limiter: RateLimiter, keyId: number): number | undefined =>
  limiter.spend(keyId, [])?.details.retryAfterSeconds

describe("a rate limiter", () => {
  it.effect("given an unused key, then its bucket holds no more than a minute's requests", () =>
    Effect.gen(function* () {
      const limiter = new RateLimiter(2, yield* Clock.Clock)
      refusedFor(limiter, 1)
      yield* TestClock.adjust("1 day")
      assert.isUndefined(refusedFor(limiter, 1))
      assert.isUndefined(refusedFor(limiter, 1))
      assert.isDefined(refusedFor(limiter, 1))
    })
  )

  it.effect("given keys that are idle for two minutes, then they are forgotten, and no others", () =>
    Effect.gen(function* () {
      const limiter = new RateLimiter(1, yield* Clock.Clock)
      for (let keyId = 1; keyId <= 1_000; keyId++) refusedFor(limiter, keyId)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(refusedFor(limiter, 1), 1)
      yield* TestClock.adjust("1 second")
      assert.isUndefined(refusedFor(limiter, 1))
      assert.strictEqual(limiter.size, 1_000)
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(refusedFor(limiter, 2))
      assert.strictEqual(limiter.size, 2)
    })
  )

  it.effect("given a clock that is set back by a year, then idle keys are forgotten too", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(31_536_000_000)
      const limiter = new RateLimiter(1, yield* Clock.Clock)
      for (let keyId = 1; keyId <= 1_000; keyId++) refusedFor(limiter, keyId)
      for (const time of [0, 60_000, 120_000]) {
        yield* TestClock.setTime(time)
        refusedFor(limiter, 1)
      }
      assert.strictEqual(limiter.size, 1)
    })
  )

  it.effect("given a clock that is set back, then no requests are added or lost", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000)
      const limiter = new RateLimiter(1, yield* Clock.Clock)
      refusedFor(limiter, 1)
      yield* TestClock.setTime(0)
      assert.strictEqual(refusedFor(limiter, 1), 60)
      yield* TestClock.setTime(60_000)
      assert.isUndefined(refusedFor(limiter, 1))
    })
  )
})
