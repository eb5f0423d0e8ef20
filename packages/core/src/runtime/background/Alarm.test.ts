import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Alarm } from "./Alarm.ts"

describe("given an alarm", () => {
  it.effect("when it is set to several times, then it rings at the first one, and only then", () =>
    Effect.gen(function* () {
      const rung: Array<number> = []
      const alarm = new Alarm((now) => rung.push(now))
      yield* Effect.forkScoped(alarm.run)
      for (const time of [300, 100, 200]) alarm.set(time)
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(rung, [100])
    })
  )

  it.effect("when its time is closer than a clock can tell, by the rounding of a sum, then it rings", () =>
    Effect.gen(function* () {
      let rings = 0
      const alarm = new Alarm(() => rings++)
      yield* Effect.forkScoped(alarm.run)
      alarm.set(0.1 + 0.2)
      yield* TestClock.adjust("300 micros")
      assert.strictEqual(rings, 0)
      yield* TestClock.adjust("1 milli")
      assert.strictEqual(rings, 1)
    })
  )
})
