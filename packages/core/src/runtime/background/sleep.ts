import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { elapsedOn } from "../../programs/time.ts"

/** Milliseconds. Timers take no longer delay. */
const longestTimerMillis = 2 ** 31 - 1

const systemClock = Context.get(Context.empty(), Clock.Clock)

/** Whether this is the clock of JavaScript, whose timers need no fiber. */
export const isSystemClock = (clock: Clock.Clock): boolean => clock === systemClock

/** Lets a Node.js process exit while this timer runs. Other runtimes have no such method. */
const letExit = (timer: unknown): void => {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") {
    timer.unref()
  }
}

/** Waits for this number of milliseconds, whatever the clock of the fiber is, or somewhat less if they are more than 24 days. Does not keep the process alive. */
export const timer = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const set = setTimeout(() => resume(Effect.void), Math.min(Math.max(millis, 0), longestTimerMillis))
    letExit(set)
    return Effect.sync(() => clearTimeout(set))
  })

/**
 * Waits for this number of milliseconds of the clock, or somewhat less if they are more than 24 days. Does not keep the process
 * alive, unlike `Effect.sleep`.
 */
export const sleep = (millis: number): Effect.Effect<void> =>
  Clock.clockWith((clock) => (isSystemClock(clock) ? timer(millis) : clock.sleep(Duration.millis(millis))))

/** {@link elapsedOn} the clock in use. */
export const elapsedMillis: Effect.Effect<number> = Clock.clockWith((clock) => Effect.sync(() => elapsedOn(clock)))
