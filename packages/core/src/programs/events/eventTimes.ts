import * as Effect from "effect/Effect"
import type { Event } from "../../domain/events/Event.ts"
import { plusMillis } from "../../domain/Timestamp.ts"

/** Milliseconds by which clocks may differ or be set back, and which a transaction may last, without an event being missed. */
export const clockDriftMillis = 10_000

interface Times {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Where an event is among those since a time and before another one; `behind` if so are all that follow in the order of the list. */
export const placeOf = (
  { timestamp }: Event,
  { since, until }: Times,
  isReversed = false
): "outside" | "within" | "behind" => {
  if (until !== undefined && timestamp >= until) {
    return !isReversed && timestamp >= plusMillis(until, clockDriftMillis) ? "behind" : "outside"
  }
  if (since === undefined || timestamp >= since) return "within"
  return isReversed && timestamp < plusMillis(since, -clockDriftMillis) ? "behind" : "outside"
}

/** Finds the position behind which all events since a time are. 0 if events that are no longer kept may be among them. */
export const positionSince = <E>(scan: ScanEvents<E>, latest: number, since: string): Effect.Effect<number, E> =>
  positionBefore(scan, latest, plusMillis(since, -clockDriftMillis))

/** Finds the last position before which all events before a time are. */
export const endBefore = <E>(scan: ScanEvents<E>, latest: number, until: string): Effect.Effect<number, E> =>
  Effect.map(positionBefore(scan, latest, plusMillis(until, clockDriftMillis)), (position) => position + 1)

/** Reads the log. */
type ScanEvents<E> = (after: number, limit: number) => Effect.Effect<ReadonlyArray<Event>, E>

/**
 * Finds the last event before a time, in a log whose `seq` has no gap: it reads as many events as the length of the log has binary digits.
 * 0 if it is no longer kept.
 */
const positionBefore = <E>(scan: ScanEvents<E>, latest: number, start: string): Effect.Effect<number, E> =>
  Effect.gen(function* () {
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
