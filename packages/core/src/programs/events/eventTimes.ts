import * as Effect from "effect/Effect"
import type { Event } from "../../domain/events/Event.ts"
import { plusMillis } from "../../domain/Timestamp.ts"

/** Milliseconds by which clocks may differ or be set back, and which a transaction may last, without an event being missed. */
export const clockTolerance = 10_000

interface Times {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Where an event is among those since a time and before another one; `behind` if so are all that follow. */
export const placeOf = ({ timestamp }: Event, { since, until }: Times): "outside" | "within" | "behind" => {
  if (until !== undefined && timestamp >= until) {
    return timestamp >= plusMillis(until, clockTolerance) ? "behind" : "outside"
  }
  return since !== undefined && timestamp < since ? "outside" : "within"
}

/**
 * Finds the position behind which all events since a time are, in a log whose `seq` has no gap: it reads as many events as the length of
 * the log has binary digits. 0 if events that are no longer kept may be among them.
 */
export const positionSince = <E>(
  scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<Event>, E>,
  latest: number,
  since: string
): Effect.Effect<number, E> =>
  Effect.gen(function* () {
    const start = plusMillis(since, -clockTolerance)
    const [first] = yield* scan(0, 1)
    const kept = first?.seq ?? latest + 1
    let from = kept
    let to = latest + 1
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      const [event] = yield* scan(middle - 1, 1)
      if (event !== undefined && event.timestamp < start) from = event.seq + 1
      else to = middle
    }
    return from === kept ? 0 : from - 1
  })
