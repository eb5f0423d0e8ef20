import { assert, describe, it } from "@effect/vitest"
import { assertEqual, assertTrue, ContractViolation, formatValue } from "./check.ts"

describe("same", () => {
  it("given values that are equal in every part, it passes", () => {
    assertEqual({ a: [1, { b: new Uint8Array([1, 2]) }] }, { a: [1, { b: new Uint8Array([1, 2]) }] })
    assertEqual(new Set(["b", "a"]), new Set(["a", "b"]))
    assertEqual(undefined, undefined)
  })

  it("given any difference, it throws with both sides", () => {
    const different: ReadonlyArray<readonly [unknown, unknown]> = [
      [{ a: 1 }, { a: 1, b: undefined }],
      [
        [1, 2],
        [2, 1]
      ],
      [[1], [1, undefined]],
      [new Uint8Array([1]), new Uint8Array([2])],
      [new Set([1]), new Set([2])],
      ["1", 1],
      [null, undefined],
      [{ a: { b: 1 } }, { a: { b: 2 } }]
    ]
    for (const [actual, expected] of different) {
      try {
        assertEqual(actual, expected, "it")
      } catch (error) {
        assert.instanceOf(error, ContractViolation)
        assert.deepStrictEqual([error.actual, error.expected], [actual, expected])
        assert.match(error.message, /^Expected it to be /)
        continue
      }
      assert.fail(`no difference was seen between ${JSON.stringify(actual)} and ${JSON.stringify(expected)}`)
    }
  })
})

describe("holds", () => {
  it("given what does not hold, it throws and says what must", () => {
    assertTrue(true, "all is well")
    assert.throws(() => assertTrue(false, "all is well"), "Expected that all is well")
  })
})

describe("formatValue", () => {
  it("given any value, it is formatted, and cut after 300 characters", () => {
    const itself: { self?: unknown } = {}
    itself.self = itself
    assert.deepStrictEqual([{ a: [1] }, undefined, "a", 1n, itself].map(formatValue), [
      '{"a":[1]}',
      "undefined",
      '"a"',
      "[object BigInt]",
      "[object Object]"
    ])
    assert.strictEqual(formatValue("x".repeat(400)), `"${"x".repeat(299)}...`)
  })
})
