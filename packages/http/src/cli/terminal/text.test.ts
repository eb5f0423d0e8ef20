import { assert, describe, it } from "@effect/vitest"
import { outputWidth, wrap } from "./text.ts"

describe("the width of the output", () => {
  it("is that of a terminal, and has no limit without one or if its size is unknown", () => {
    assert.strictEqual(outputWidth({ columns: 70 }), 70)
    assert.strictEqual(outputWidth({}), Number.POSITIVE_INFINITY)
    assert.strictEqual(outputWidth({ columns: 0 }), Number.POSITIVE_INFINITY)
  })
})

describe("the lines of a text", () => {
  it("given a text that fits, then it is one line", () => {
    assert.deepStrictEqual(wrap("one two", 7), ["one two"])
    assert.deepStrictEqual(wrap("", 7), [""])
    assert.deepStrictEqual(wrap("one two three", Number.POSITIVE_INFINITY), ["one two three"])
  })

  it("given a longer text, then no line is wider than asked for, and the words stay in order", () => {
    const text = "The stock of a pet, its hold included, is what its movements add up to."
    for (let width = 9; width < 80; width++) {
      const lines = wrap(text, width)
      assert.strictEqual(lines.join(" "), text)
      for (const line of lines) assert.isAtMost(line.length, width)
    }
  })

  it("given a word that is too long, then it is a line of its own", () => {
    assert.deepStrictEqual(wrap("a petstore b", 3), ["a", "petstore", "b"])
  })
})
