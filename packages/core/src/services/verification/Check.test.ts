import { assert, describe, it } from "@effect/vitest"
import { Check } from "./Check.ts"

const numbers = Array.from({ length: 50 }, (_, index) => index + 1)

describe("given a rule that 25 of 50 rows break", () => {
  const check = new Check("even", "A number is even.")
  for (const number of numbers) check.expect(number % 2 === 0, () => ({ number }))

  it("then all are counted, and the first 20 are shown", () => {
    const { examples, ...result } = check.result
    assert.deepStrictEqual(result, { name: "even", rule: "A number is even.", checked: 50, violations: 25 })
    assert.deepStrictEqual(
      examples,
      numbers.flatMap((number) => (number % 2 === 1 && number < 40 ? [{ number }] : []))
    )
  })
})

describe("given a row that differs in some fields from what it must be", () => {
  const check = new Check("as_told", "A row is as it must be.")
  check.agree({ id: 1 }, { a: 1, b: 2, c: undefined }, { a: 1, b: 3, c: "x", d: "not compared" })

  it("then those are shown, each with both values", () => {
    assert.deepStrictEqual(check.result.examples, [
      { id: 1, b: { found: 2, expected: 3 }, c: { found: null, expected: "x" } }
    ])
  })
})
