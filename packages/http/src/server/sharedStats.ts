import { formatTimestamp, type PetstoreError } from "@petstore/core/domain"
import { Stats } from "@petstore/core/services"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ServerStats } from "../api/Server.ts"

/** How long a reading serves all callers, in milliseconds. */
const maxAge = 1_000

/**
 * Reads the numbers of an engine at most once a second, for all callers: it takes statements. The reading is nobody's own, so that it ends
 * although the caller who began it has gone.
 */
export const sharedStats = (engine: Context.Context<Stats>): (() => Effect.Effect<ServerStats, PetstoreError>) => {
  const { read } = Context.get(engine, Stats)
  const clock = Context.get(engine, Clock.Clock)
  let begun = Number.NEGATIVE_INFINITY
  let reading: Fiber.Fiber<ServerStats, PetstoreError> | undefined

  const begin = (now: number): Fiber.Fiber<ServerStats, PetstoreError> => {
    begun = now
    const numbers = Effect.map(read, (stats) => ({ at: formatTimestamp(now), ...stats }))
    // What failed is read again for the next caller.
    const failed = Effect.sync(() => {
      begun = Number.NEGATIVE_INFINITY
    })
    return Effect.runForkWith(engine)(Effect.tapCause(numbers, () => failed))
  }

  return () =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      if (reading === undefined || Math.abs(now - begun) >= maxAge) reading = begin(now)
      return Fiber.join(reading)
    })
}
