import { assert, describe, it } from "@effect/vitest"
import { compare } from "./Finding.ts"
import type { Rule } from "./Report.ts"
import { Report } from "./Report.ts"

const numbers = Array.from({ length: 50 }, (_, index) => index + 1)

const even: Rule = {
  name: "even",
  demands: "An id is even. Texts do not count.",
  check: { row: ({ id }) => (typeof id === "string" ? undefined : id % 2 === 0 || { id }) }
}

const other: Rule = {
  name: "other",
  demands: "A problem is none.",
  check: { damage: (problem) => problem === undefined || {} }
}

const results = () => {
  const report = new Report([even, other])
  const check = report.on("row")
  for (const id of [...numbers, "text"]) check({ table: "numbers", id, before: undefined })
  return report.results
}

describe("given a rule that 25 of 50 rows violate", () => {
  const [result] = results()

  it("then all that it applies to are counted, and the first 20 violations are shown", () => {
    const { examples, ...rest } = result ?? assert.fail("There is no result")
    assert.deepStrictEqual(rest, { name: "even", rule: even.demands, checked: 50, violations: 25 })
    assert.deepStrictEqual(
      examples,
      numbers.flatMap((id) => (id % 2 === 1 && id < 40 ? [{ id }] : []))
    )
  })
})

describe("given rules about other subjects", () => {
  it("then they are not checked", () => {
    assert.deepInclude(results()[1], { name: "other", checked: 0, violations: 0 })
  })
})

describe("given a row that differs in some fields from what it must be", () => {
  it("then those are shown, each with both values", () => {
    assert.deepStrictEqual(
      compare({ id: 1 }, { a: 1, b: 2, c: undefined }, { a: 1, b: 3, c: "x", d: "not compared" }),
      { id: 1, b: { found: 2, expected: 3 }, c: { found: null, expected: "x" } }
    )
  })
})

describe("given a row that is as it must be", () => {
  it("then it holds", () => assert.isTrue(compare({ id: 1 }, { a: 1 }, { a: 1 })))
})
