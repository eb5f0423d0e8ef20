import { assert, describe, it } from "vitest"
import { type SimulateOptions, simulate } from "./simulate.ts"

/** A simulation that once had a problem. */
interface CorpusEntry extends SimulateOptions {
  /** What it found. */
  readonly found: string
}

/** The simulations that have found faults. A change of the engine or the simulation gives their seeds other traces. */
const corpus: ReadonlyArray<CorpusEntry> = [
  { seed: 12, found: "a webhook lane routed events that another process had routed while they waited" },
  { seed: 16, found: "the ids of events were older than their changes after a clock was set back" },
  { seed: 630, found: "the record of a key was younger than the order that it is about" },
  { seed: 1109, found: "an endpoint of webhooks had failed before it was created" },
  { seed: 1854, found: "the check of histories took a held pet for one whose units were all reserved" }
]

const seeds = Array.from({ length: 8 }, (_, index) => index + 1)

describe("given a simulated shop", () => {
  it("when a seed runs twice, then it has the same trace", async () => {
    const run = (seed: number) => simulate({ seed, steps: 20 })
    const [one, again, other] = [await run(7), await run(7), await run(8)]
    assert.deepStrictEqual(again.trace, one.trace)
    assert.strictEqual(again.hash, one.hash)
    assert.notStrictEqual(other.hash, one.hash)
    assert.match(one.hash, /^[0-9a-f]{64}$/)
  })

  it("when nothing goes wrong, then nothing is repeated, and no process ends", async () => {
    const { problem, trace } = await simulate({ seed: 1, steps: 20, faults: [] })
    assert.isUndefined(problem)
    const faults = trace.filter((line) => /is killed|refused|rolled back|response is lost|stands still/.test(line))
    assert.deepStrictEqual(faults, [])
  })

  it("when anything may go wrong, then clients see one petstore, and everything drains afterwards", async () => {
    for (const seed of seeds) {
      const { problem, trace } = await simulate({ seed, steps: 30 })
      assert.isUndefined(problem, `seed ${seed}: ${trace.at(-1)}`)
    }
  })

  it("then the seeds that once showed a fault show none", async () => {
    for (const { found, ...options } of corpus) {
      const { problem } = await simulate(options)
      assert.isUndefined(problem, `seed ${options.seed}, which once found that ${found}`)
    }
  })
})
