import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { DatabaseClock } from "./DatabaseClock.ts"

const minute = 60_000
const systemTime = Date.now
/** Milliseconds that a slow machine may take between two reads of its clock. */
const margin = 5_000

const setAhead = (millis: number) => void vi.spyOn(Date, "now").mockImplementation(() => systemTime() + millis)
const about = (actual: number, expected: number) => assert.approximately(actual, expected, margin)

const read = async (): Promise<number> => systemTime()

const given = () => {
  const reported: Array<string> = []
  return { reported, clock: new DatabaseClock((problem) => void reported.push(problem)) }
}

afterEach(() => void vi.restoreAllMocks())

describe("given the clock of a machine and that of its database", () => {
  it("when they agree, then no time is changed by the duration of a read", async () => {
    const reads = [0, 20, 5].map((wait) => async () => {
      const time = systemTime()
      await new Promise((resolve) => setTimeout(resolve, wait))
      return time
    })
    for (const slowRead of reads) {
      const clock = new DatabaseClock(assert.fail)
      await clock.measure(slowRead)
      assert.strictEqual(clock.ahead(), 0)
    }
  })

  for (const [name, millis] of [
    ["eight days ahead of", 8 * 24 * 60 * minute],
    ["an hour behind", -60 * minute]
  ] as const) {
    it(`when that of the machine is ${name} the other, then that is corrected, and reported once`, async () => {
      setAhead(millis)
      const { clock, reported } = given()
      await clock.measure(read)
      await clock.measure(read)
      about(clock.ahead(), -millis)
      assert.strictEqual(reported.length, 1)
      assert.match(String(clock.problem), new RegExp(`${Math.abs(millis) / 1000 - 1}|${Math.abs(millis) / 1000}`, "u"))
    })
  }

  it("when that of the machine is set while the store is open, then that is corrected at once", async () => {
    const { clock } = given()
    await clock.measure(read)
    setAhead(60 * minute)
    about(clock.ahead(), -60 * minute)
    setAhead(-60 * minute)
    about(clock.ahead(), 60 * minute)
  })

  it("when that of the machine was set, or the machine has slept, then that must be measured, and no time before counts", async () => {
    const { clock } = given()
    await clock.measure(read)
    assert.isFalse(clock.wasSet)
    setAhead(60 * minute)
    assert.isTrue(clock.wasSet)
    await clock.measure(async () => {
      setAhead(-60 * minute)
      return systemTime()
    })
    assert.isFalse(clock.wasSet)
    about(clock.ahead(), 60 * minute)
  })

  it("when it was set right again, then there is no problem, and the next one is reported again", async () => {
    const { clock, reported } = given()
    for (const millis of [2 * minute, 0, 2 * minute]) {
      setAhead(millis)
      await clock.measure(read)
      assert.strictEqual(clock.problem === undefined, millis === 0)
    }
    assert.strictEqual(reported.length, 2)
  })

  it("when they differ by less than a minute, then that is no problem", async () => {
    setAhead(50_000)
    const { clock, reported } = given()
    await clock.measure(read)
    about(clock.ahead(), -50_000)
    assert.deepStrictEqual([clock.problem, reported], [undefined, []])
  })
})
