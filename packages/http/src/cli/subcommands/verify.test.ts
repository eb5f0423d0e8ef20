import { assert, describe, it } from "@effect/vitest"
import { coloured, plain } from "../terminal/text.ts"
import { toLines } from "./verify.ts"

const rule = "The stock of a pet, its hold included, is what its movements add up to."
const held = { name: "stock", rule, checked: 12, violations: 0, examples: [] }
const broken = { name: "stock", rule, checked: 12, violations: 3, examples: [{ petId: 2 }, { petId: 3 }] }

describe("the report of a rule", () => {
  it("given no terminal, then the rule is on one line", () => {
    assert.deepStrictEqual(toLines(held, plain, Number.POSITIVE_INFINITY), [`ok      ${rule} (12 checked)`])
  })

  it("given 80 columns, then no line is wider, and the text stays in its column", () => {
    assert.deepStrictEqual(toLines(held, plain, 80), [
      "ok      The stock of a pet, its hold included, is what its movements add up to.",
      "        (12 checked)"
    ])
    assert.deepStrictEqual(toLines(broken, plain, 60), [
      "BROKEN  The stock of a pet, its hold included, is what its",
      "        movements add up to. (3 of 12)",
      '          {"petId":2}',
      '          {"petId":3}',
      "          and 1 more"
    ])
  })

  it("given colours, then they change nothing but the mark", () => {
    const [line = ""] = toLines(held, coloured, 200)
    assert.strictEqual(line, `\x1b[32mok\x1b[39m      ${rule} (12 checked)`)
    const [wrong = ""] = toLines(broken, coloured, 200)
    assert.strictEqual(wrong, `\x1b[31m\x1b[1mBROKEN\x1b[22m\x1b[39m  ${rule} (3 of 12)`)
  })
})
