import type { Petstore } from "@petstore/core"
import { formatTimestamp, parseTimestamp, ShuttingDown } from "@petstore/core/domain"
import { runtimeOf } from "@petstore/core/effect"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"

/** A clock that stands still until the test moves it, forward only. */
export interface ControllableClock {
  /** The current time in UTC, such as `2030-01-01T00:00:00.000Z`. */
  readonly now: string
  /** Moves the clock to this time. Completes when everything that was due by then has run. */
  set(time: string | Date): Promise<void>
  /** Moves the clock by a duration such as `"1 day"`, or milliseconds. Completes when everything that was due has run. */
  advance(duration: Duration.Input): Promise<void>
}

const latest = Date.parse("9999-12-31T23:59:59.999Z")

/** A time as milliseconds since 1970. Throws a TypeError that names the option or parameter `name`. */
export const millisOf = (name: string, time: string | Date): number => {
  const text = time instanceof Date && !Number.isNaN(time.getTime()) ? time.toISOString() : time
  const millis = typeof text === "string" ? parseTimestamp(text) : undefined
  if (millis === undefined) {
    throw new TypeError(`${name} takes a Date, or a time with an offset such as "2030-01-01T00:00:00Z", not ${time}`)
  }
  return millis
}

const durationOf = (input: Duration.Input): number => {
  const duration = Number.isNaN(input) ? Option.none() : Duration.fromInput(input)
  if (Option.isSome(duration)) return Duration.toMillis(duration.value)
  throw new TypeError(`clock.advance takes a duration such as "1 day", or milliseconds, not ${input}`)
}

/** The clock of a petstore that was opened with Effect's `TestClock`. */
export const controllableClock = (petstore: Petstore): ControllableClock => {
  const runtime = runtimeOf(petstore)
  const clock = runtime.runSync(Clock.clockWith(Effect.succeed))
  const moveTo = async (millis: number): Promise<void> => {
    const now = clock.currentTimeMillisUnsafe()
    if (!(millis >= now)) {
      throw new RangeError(
        `The clock is at ${formatTimestamp(now)} and only moves forward. Start earlier with testPetstore({ now })`
      )
    }
    if (millis > latest) throw new RangeError("The clock ends with the year 9999")
    await runtime.runPromise(TestClock.setTime(millis)).catch((cause: unknown) => {
      throw new ShuttingDown({}, { message: "Cannot move the clock: the petstore is closed.", cause })
    })
  }
  return {
    get now() {
      return formatTimestamp(clock.currentTimeMillisUnsafe())
    },
    set: async (time) => moveTo(millisOf("clock.set", time)),
    advance: async (duration) => moveTo(clock.currentTimeMillisUnsafe() + durationOf(duration))
  }
}
