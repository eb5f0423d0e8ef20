import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Event } from "../../domain/events/Event.ts"
import { formatTimestamp } from "../../domain/Timestamp.ts"
import { clockDriftMillis, positionSince } from "./listEvents.ts"

const start = Date.parse("2026-05-04T09:30:00.000Z")

/** A log of which the first events are removed, with these milliseconds as times. */
const logOf = (times: ReadonlyArray<number>, removed = 0) => {
  let reads = 0
  const events = times.map((at, index) => ({ seq: index + 1, timestamp: formatTimestamp(start + at) }) as Event)
  const scan = (after: number, limit: number) =>
    Effect.sync(() => {
      reads += limit
      return events.slice(Math.max(removed, after), Math.max(removed, after) + limit)
    })
  const since = (at: number) => Effect.runSync(positionSince(scan, times.length, formatTimestamp(start + at)))
  return { reads: () => reads, since }
}

describe("the position of a time in the log", () => {
  it("given 100,000 events, then it is found by 18 of them, for any time", () => {
    const log = logOf(Array.from({ length: 100_000 }, (_, index) => index * 10))
    for (const [at, position] of [
      [-5_000, 0],
      [500_000, 49_000],
      [2_000_000, 100_000]
    ] as const) {
      const before = log.reads()
      assert.strictEqual(log.since(at), position)
      assert.isAtMost(log.reads() - before, 19)
    }
  })

  it("given removed events, then it is 0 if they may be among those of the time or later", () => {
    const times = [0, 100_000, 200_000, 300_000]
    assert.strictEqual(logOf(times, 2).since(0), 0)
    assert.strictEqual(logOf(times, 2).since(250_000), 3)
    assert.strictEqual(logOf([]).since(0), 0)
  })

  it("given clocks that differ by less than the tolerance, then no event of the time or later is before it", () => {
    for (let seed = 1; seed <= 200; seed++) {
      let state = seed
      const random = (below: number): number => {
        state = (state * 48_271) % 2_147_483_647
        return state % below
      }
      const times = Array.from({ length: 100 }, (_, index) => index * 100 + random(clockDriftMillis))
      const at = random(20_000)
      const position = logOf(times).since(at)
      assert.isTrue(times.slice(0, position).every((time) => time < at))
    }
  })
})
