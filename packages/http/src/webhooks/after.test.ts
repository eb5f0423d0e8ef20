import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { vi } from "vitest"
import { after } from "./after.ts"

const systemClock = Context.get(Context.empty(), Clock.Clock)

describe("a call after some time", () => {
  it.effect("given a clock that a test moves, then it is made at its time, or never once it is cancelled", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const calls: Array<string> = []
      after(clock, 20, () => calls.push("one"))
      const cancel = after(clock, 20, () => calls.push("other"))
      yield* TestClock.adjust(19)
      assert.deepStrictEqual(calls, [])
      cancel()
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(calls, ["one"])
    })
  )

  it("given the clock of the system, and a longer time than timers take, then it is not made at once", () => {
    vi.useFakeTimers()
    try {
      const call = vi.fn()
      after(systemClock, 2 ** 40, call)
      vi.advanceTimersByTime(1_000)
      assert.strictEqual(call.mock.calls.length, 0)
    } finally {
      vi.useRealTimers()
    }
  })
})
