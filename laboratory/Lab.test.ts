import { assert, describe, it, vi } from "vitest"
import { type Asked, Lab } from "./Lab.ts"

/** A question with this command line, whose lines are kept. */
const asked = (line: Asked, flags: object = {}) => {
  const lab = new Lab("simulate", { rounds: 3 }, line, flags)
  const lines: Array<string> = []
  vi.spyOn(lab, "log").mockImplementation((text) => void lines.push(text))
  return { lab, lines }
}

describe("given a question with rounds", () => {
  it("when neither a seed nor rounds are given, then it has its own number of rounds, with a random seed and those after it", async () => {
    const { lab } = asked({})
    const seeds: Array<number> = []
    await lab.eachSeed(async (seed) => {
      seeds.push(seed)
      return []
    })
    assert.deepStrictEqual(seeds, [lab.seed, lab.seed + 1, lab.seed + 2])
    assert.notStrictEqual(asked({}).lab.seed, lab.seed)
  })

  it("when time is given instead of rounds, then rounds begin until it is over", async () => {
    let seconds = 0
    const clock = vi.spyOn(performance, "now").mockImplementation(() => seconds * 1000)
    const { lab } = asked({ seed: 1, minutes: 1 })
    await lab.eachSeed(async () => {
      seconds += 20
      return []
    })
    clock.mockRestore()
    assert.strictEqual(seconds, 60)
  })

  it("when its time is over before a round begins, then it asked nothing, and says so", async () => {
    const { lab, lines } = asked({ seed: 1, minutes: 0 })
    await lab.eachSeed(async () => [])
    assert.strictEqual(lab.findings, 1)
    assert.match(lines.at(-1) ?? "", /^There was no time for a round\n {2}Again: npm run lab -- simulate --seed 1$/)
  })

  it("when several rounds run at once, then each seed has one", async () => {
    const { lab } = asked({ seed: 1, rounds: 20 })
    const seeds: Array<number> = []
    await lab.eachSeed(
      async (seed) => {
        await Promise.resolve()
        seeds.push(seed)
        return []
      },
      { atOnce: 4 }
    )
    assert.deepStrictEqual(
      seeds.toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_, index) => index + 1)
    )
  })

  it("when a round finds something, then it prints the command that repeats this round with the flags that were given", async () => {
    const { lab, lines } = asked({ seed: 7, rounds: 2 }, { steps: 20, faults: undefined, trace: true, quick: false })
    await lab.eachSeed(async (seed) => (seed === 8 ? ["Units are lost"] : []))
    assert.strictEqual(lab.findings, 1)
    assert.include(lines, "Units are lost\n  Again: npm run lab -- simulate --steps 20 --trace --seed 8 --rounds 1")
    assert.match(lines.at(-1) ?? "", /^2 rounds from seed 7, 1 findings, /)
  })

  it("when the repetition sets a flag, then it stands there once", () => {
    const { lab, lines } = asked({ seed: 7 }, { of: "call", postgres: true })
    lab.found("A call is lost", "--of client --at 3")
    assert.deepStrictEqual(lines, ["A call is lost\n  Again: npm run lab -- simulate --postgres --of client --at 3"])
  })
})
