import { assert, describe, it } from "vitest"
import { type Comparison, chosenOf } from "./Comparison.ts"

const none = { name: "none", open: () => assert.fail("Nothing is measured") }
const all = ["order", "order, 5 ms", "20 orders at once"].map((does): Comparison => ({ does, sides: [none] }))

describe("given rows whose names contain each other", () => {
  it("then a whole name chooses its row alone, and a part of names all of these", () => {
    const namesOf = (only?: string) => chosenOf(all, only).map(({ does }) => does)
    assert.deepStrictEqual(namesOf("order"), ["order"])
    assert.deepStrictEqual(namesOf("orders"), ["20 orders at once"])
    assert.deepStrictEqual(namesOf("order,"), ["order, 5 ms"])
    assert.lengthOf(namesOf("rder"), 3)
    assert.lengthOf(namesOf(), 3)
    assert.deepStrictEqual(namesOf("pet"), [])
  })
})
