import { assert, describe, it } from "@effect/vitest"
import { eventIds, partsOfLatest } from "./EventId.ts"

/** The id of these parts, written out. */
const written = (millis: number, counter: number, journal: string): string =>
  `evt_${millis.toString(36).padStart(9, "0")}${counter.toString(36).padStart(5, "0")}${journal}`

describe("given the ids of a journal", () => {
  const times = [0, 1, 1_777_800_000_000, 1_777_800_000_001, 36 ** 9 - 1]
  const counters = [0, 1, 35, 36, 1_295, 1_296, 1_297, 46_655, 46_656, 36 ** 5 - 1, 36 ** 5]

  it("when they are made for any times and counters, in any order, then each has its parts in its text", () => {
    const make = eventIds("abcdefg0")
    for (const pass of [counters, counters.toReversed()]) {
      for (const counter of pass) {
        for (const millis of times) assert.strictEqual(make(millis, counter), written(millis, counter, "abcdefg0"))
      }
    }
  })

  it("when one was made last, then its parts are known, also of a copy of its text, and those of others are not", () => {
    const [one, other] = [eventIds("abcdefg0"), eventIds("abcdefg1")]
    const before = one(1_777_800_000_000, 1_295)
    const last = other(1_777_800_000_000, 1_296)
    const parts = { millis: 1_777_800_000_000, counter: 1_296, journal: "abcdefg1" }
    for (const id of [last, written(1_777_800_000_000, 1_296, "abcdefg1")]) assert.include(partsOfLatest(id), parts)
    assert.isUndefined(partsOfLatest(before))
    assert.isUndefined(partsOfLatest(""))
  })
})
