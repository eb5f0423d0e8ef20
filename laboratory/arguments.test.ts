import { assert, describe, it } from "vitest"
import { flagLines, parse, UsageError } from "./arguments.ts"

const question = {
  rounds: 10,
  flags: { steps: { takes: "number", means: "calls" }, of: { takes: "text", means: "a part" }, trace: { means: "all" } }
} as const

describe("given a question with rounds and flags", () => {
  it("then its command line has both", () => {
    assert.deepStrictEqual(parse(["--seed", "7", "--minutes", "0.5", "--of", "call", "--trace"], question), {
      asked: { seed: 7, rounds: undefined, minutes: 0.5 },
      flags: { steps: undefined, of: "call", trace: true }
    })
    assert.isFalse(parse([], question).flags.trace)
  })

  for (const [args, message] of [
    [["--stepz", "3"], /--stepz/],
    [["--steps", "many"], /^--steps takes a number, not "many"$/],
    [["--rounds", "1.5"], /^--rounds takes a number, not "1.5"$/],
    [["--seed", ""], /^--seed takes a number, not ""$/],
    [["--steps"], /--steps/],
    [["more"], /more/]
  ] as const) {
    it(`when it is asked with ${JSON.stringify(args)}, then the message says what is wrong`, () => {
      assert.throws(() => parse(args, question), UsageError, message)
    })
  }

  it("then the help has a line for each", () => {
    assert.deepStrictEqual(
      flagLines(question).map((line) => line.trim().split("  ")[0]),
      ["--seed NUMBER", "--rounds NUMBER", "--minutes NUMBER", "--steps NUMBER", "--of TEXT", "--trace"]
    )
  })
})

describe("given a question without rounds", () => {
  it("when it is asked with a seed, then it is refused", () => {
    assert.throws(() => parse(["--seed", "7"], { flags: {} }), UsageError, /--seed/)
  })
})
