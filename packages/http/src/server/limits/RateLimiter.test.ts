import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { RateLimiter } from "./RateLimiter.ts"

const spend = (limiter: RateLimiter, keyId: number) => {
  const headers: Array<string> = []
  const refusal = limiter.spend(keyId, headers)
  return { refused: refusal?.details.retryAfterSeconds, limit: headers[3] }
}

describe("a rate limiter", () => {
  it.effect(
    "given a key, then it may send a minute's requests at once, and then one each time the bucket has one",
    () =>
      Effect.gen(function* () {
        const limiter = new RateLimiter(3, yield* Clock.Clock)
        assert.deepStrictEqual(spend(limiter, 1), { refused: undefined, limit: '"default";r=2;t=20' })
        assert.deepStrictEqual(spend(limiter, 1), { refused: undefined, limit: '"default";r=1;t=20' })
        assert.deepStrictEqual(spend(limiter, 1), { refused: undefined, limit: '"default";r=0;t=20' })
        assert.deepStrictEqual(spend(limiter, 1), { refused: 20, limit: '"default";r=0;t=20' })
        yield* TestClock.adjust("19 seconds")
        assert.deepStrictEqual(spend(limiter, 1), { refused: 1, limit: '"default";r=0;t=1' })
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(spend(limiter, 1), { refused: undefined, limit: '"default";r=0;t=20' })
        assert.deepStrictEqual(spend(limiter, 1), { refused: 20, limit: '"default";r=0;t=20' })
      })
  )

  it.effect("given two keys, then each has a bucket of its own", () =>
    Effect.gen(function* () {
      const limiter = new RateLimiter(1, yield* Clock.Clock)
      assert.isUndefined(spend(limiter, 1).refused)
      assert.strictEqual(spend(limiter, 1).refused, 60)
      assert.isUndefined(spend(limiter, 2).refused)
    })
  )

  it.effect("given an unused key, then its bucket holds no more than a minute's requests", () =>
    Effect.gen(function* () {
      const limiter = new RateLimiter(2, yield* Clock.Clock)
      spend(limiter, 1)
      yield* TestClock.adjust("1 day")
      assert.isUndefined(spend(limiter, 1).refused)
      assert.isUndefined(spend(limiter, 1).refused)
      assert.isDefined(spend(limiter, 1).refused)
    })
  )

  it.effect("given keys that are idle for two minutes, then they are forgotten, and no others", () =>
    Effect.gen(function* () {
      const limiter = new RateLimiter(1, yield* Clock.Clock)
      for (let keyId = 1; keyId <= 1_000; keyId++) spend(limiter, keyId)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(spend(limiter, 1).refused, 1)
      yield* TestClock.adjust("1 second")
      assert.isUndefined(spend(limiter, 1).refused)
      assert.strictEqual(limiter.size, 1_000)
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(spend(limiter, 2).refused)
      assert.strictEqual(limiter.size, 2)
    })
  )

  it.effect("given a clock that is set back by a year, then idle keys are forgotten too", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(31_536_000_000)
      const limiter = new RateLimiter(1, yield* Clock.Clock)
      for (let keyId = 1; keyId <= 1_000; keyId++) spend(limiter, keyId)
      for (const time of [0, 60_000, 120_000]) {
        yield* TestClock.setTime(time)
        spend(limiter, 1)
      }
      assert.strictEqual(limiter.size, 1)
    })
  )

  it.effect("given a clock that is set back, then no requests are added or lost", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000)
      const limiter = new RateLimiter(1, yield* Clock.Clock)
      spend(limiter, 1)
      yield* TestClock.setTime(0)
      assert.strictEqual(spend(limiter, 1).refused, 60)
      yield* TestClock.setTime(60_000)
      assert.isUndefined(spend(limiter, 1).refused)
    })
  )
})
