import type { Petstore } from "@petstore/core"
import { formatTimestamp, parseTimestamp, ShuttingDown } from "@petstore/core/domain"
import { runtimeOf } from "@petstore/core/effect"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"

/** A clock that stands still until it is told to move. It only goes forward. */
export interface ControllableClock {
  /** The present time, in the form in which the petstore answers times. */
  readonly now: string
  /** Moves on to this time; completes when what was due by then has run. */
  set(time: string | Date): Promise<void>
  /** Moves on by this much, such as `"1 day"`, or milliseconds; completes when what was due by then has run. */
  advance(duration: Duration.Input): Promise<void>
}

const latest = Date.parse("9999-12-31T23:59:59.999Z")

/** Milliseconds since 1970 of a time in any form; `name` is what it was given as. */
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
        `It is ${formatTimestamp(now)} already, and the clock only goes forward. Begin earlier: testPetstore({ now })`
      )
    }
    if (millis > latest) throw new RangeError("The clock ends with the year 9999")
    await runtime.runPromise(TestClock.setTime(millis)).catch((cause: unknown) => {
      throw new ShuttingDown({}, { message: "The clock of this petstore moves no more: it is closed.", cause })
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
