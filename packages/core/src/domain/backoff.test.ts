import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { backoff, growing } from "./backoff.ts"

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const delays = fc.array(fc.integer({ min: 0, max: 1e9 }), { minLength: 1, maxLength: 12 })
const jitter = fc.double({ min: 0, max: 1, noNaN: true })

describe("backoff", () => {
  it("given any schedule, then each delay is within its jitter", () => {
    fc.assert(
      fc.property(delays, jitter, random, fc.nat(), (all, share, chance, pick) => {
        const attempt = 1 + (pick % all.length)
        const delay = all[attempt - 1] ?? Number.NaN
        const wait = backoff({ delays: all, jitter: share, end: "stop" }, attempt, chance) ?? Number.NaN
        assert.isTrue(Number.isInteger(wait))
        assert.isAtLeast(wait, Math.floor(delay * (1 - share)))
        assert.isAtMost(wait, Math.ceil(delay * (1 + share)))
      })
    )
  })

  it("given no jitter, then the delays are those of the schedule", () => {
    fc.assert(
      fc.property(delays, random, (all, chance) => {
        const waits = all.map((_, index) => backoff({ delays: all, jitter: 0, end: "stop" }, index + 1, chance))
        assert.deepStrictEqual(waits, all)
      })
    )
  })

  it("given the attempt after the last delay, then the schedule stops or repeats that delay", () => {
    fc.assert(
      fc.property(delays, random, fc.integer({ min: 1, max: 1e6 }), (all, chance, more) => {
        const attempt = all.length + more
        assert.isUndefined(backoff({ delays: all, jitter: 0, end: "stop" }, attempt, chance))
        assert.strictEqual(backoff({ delays: all, jitter: 0, end: "repeat" }, attempt, chance), all.at(-1))
      })
    )
  })

  it("given full jitter, then delays spread from nothing to twice the delay", () => {
    const schedule = { delays: [1_000], jitter: 1, end: "stop" } as const
    assert.strictEqual(backoff(schedule, 1, 0), 0)
    assert.strictEqual(backoff(schedule, 1, 0.5), 1_000)
    assert.strictEqual(backoff(schedule, 1, 0.999), 1_998)
  })
})

describe("growing", () => {
  it("given a first and a longest delay, then the delays grow by the factor and end with the longest", () => {
    assert.deepStrictEqual(growing(100, 2, 1_000), [100, 200, 400, 800, 1_000])
    assert.deepStrictEqual(growing(100, 10, 1_000), [100, 1_000])
    assert.deepStrictEqual(growing(100, 2, 100), [100])
  })

  it("given any range, then every delay is above the one before", () => {
    const range = fc.tuple(
      fc.integer({ min: 1, max: 1e4 }),
      fc.integer({ min: 0, max: 1e6 }),
      fc.integer({ min: 2, max: 9 })
    )
    fc.assert(
      fc.property(range, ([first, more, factor]) => {
        const all = growing(first, factor, first + more)
        assert.strictEqual(all[0], first)
        assert.strictEqual(all.at(-1), first + more)
        for (const [index, delay] of all.slice(1).entries()) assert.isAbove(delay, all[index] ?? Number.NaN)
      })
    )
  })

  it("given delays that would not grow, then it throws", () => {
    assert.throws(() => growing(0, 2, 10), RangeError, "Delays from 0 to 10 by the factor 2 do not grow")
    assert.throws(() => growing(1, 1, 10), RangeError)
    assert.throws(() => growing(2, 2, 1), RangeError)
  })
})
