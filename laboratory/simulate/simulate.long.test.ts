import { assert, describe, it } from "vitest"
import { simulate } from "./simulate.ts"

const seeds = 500

describe("given a simulated shop in which anything may go wrong", () => {
  it(`then none of ${seeds} seeds shows a problem`, async () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const { problem } = await simulate({ seed })
      assert.isUndefined(problem, `seed ${seed}`)
    }
  }, 1_200_000)
})
