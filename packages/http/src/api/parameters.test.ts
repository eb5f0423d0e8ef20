import { assert, describe, it } from "vitest"
import { formatTotal, parseTotal } from "./parameters.ts"

describe("given a total", () => {
  for (const [text, count, isExact] of [
    ["0", 0, true],
    ["37", 37, true],
    ["10000", 10_000, true],
    ["10000+", 10_000, false]
  ] as const) {
    it(`then ${text} is what its header has`, () => {
      assert.strictEqual(formatTotal({ count, isExact }), text)
      assert.deepStrictEqual(parseTotal(text), { count, isExact })
    })
  }

  it("then anything else is none", () => {
    for (const text of ["", "+", "-1", "1.5", "10,000", "many", "9999999999"]) assert.isUndefined(parseTotal(text))
  })
})
