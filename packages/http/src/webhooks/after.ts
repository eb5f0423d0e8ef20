import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Milliseconds. Timers take no longer delay. */
const longestTimerMillis = 2 ** 31 - 1

const systemClock = Context.get(Context.empty(), Clock.Clock)

/** Calls a function after this number of milliseconds of a clock, unless what it returns was called: without a fiber by that of the system. */
export const after = (clock: Clock.Clock, millis: number, call: () => void): (() => void) => {
  if (clock === systemClock) {
    const timer = setTimeout(call, Math.min(millis, longestTimerMillis))
    return () => clearTimeout(timer)
  }
  const fiber = Effect.runFork(clock.sleep(Duration.millis(millis)))
  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit)) call()
  })
  return () => fiber.interruptUnsafe()
}
