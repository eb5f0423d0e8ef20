import { assert, describe, it } from "@effect/vitest"
import { exitCodeOf, makeStopRule } from "./stopSignal.ts"

describe("signals", () => {
  it("given the first, then the process drains", () => {
    assert.strictEqual(makeStopRule()(5_000), "drain")
  })

  it("given a second within a second, as npm and a shell pass it on, then nothing changes", () => {
    const rule = makeStopRule()
    rule(5_000)
    assert.deepStrictEqual([rule(5_000), rule(5_003), rule(5_999)], ["ignore", "ignore", "ignore"])
  })

  it("given a second after a second, then the process exits at once", () => {
    const rule = makeStopRule()
    rule(5_000)
    assert.strictEqual(rule(6_000), "exit")
  })

  it("given repetitions of the first, then they do not put the second off", () => {
    const rule = makeStopRule()
    rule(0)
    rule(900)
    assert.strictEqual(rule(1_100), "exit")
  })

  it("given the number of a signal, then the exit code is what shells say", () => {
    assert.deepStrictEqual([exitCodeOf("SIGINT"), exitCodeOf("SIGTERM")], [130, 143])
  })
})
