import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { category, categoryUpdate } from "../../../testing/src/arbitraries.ts"
import { validator } from "../validate.ts"
import { amend, type Category, type CategoryUpdate, NewCategory, sameCategory } from "./Category.ts"

const dogs: Category = { id: 3, name: "Dogs", description: "All that bark" }
const cats: Category = { id: 4, name: "Cats" }

describe("changing a category", () => {
  const rows: ReadonlyArray<readonly [Category, CategoryUpdate, Category]> = [
    [dogs, {}, dogs],
    [dogs, { id: 99 }, dogs],
    [dogs, { name: "Hounds" }, { ...dogs, name: "Hounds" }],
    [dogs, { description: "" }, { ...dogs, description: "" }],
    [dogs, { description: null }, { id: 3, name: "Dogs" }],
    [cats, { description: null }, cats],
    [cats, { name: "Felines", description: "All that purr" }, { id: 4, name: "Felines", description: "All that purr" }]
  ]
  for (const [before, update, after] of rows) {
    it(`given ${JSON.stringify(before)}: when it is changed to ${JSON.stringify(update)}, then ${JSON.stringify(after)}`, () => {
      assert.deepStrictEqual(amend(before, update), after)
      assert.strictEqual(sameCategory(before, after), before === after)
    })
  }

  it.prop(
    "twice in the same way is the same as once, and never touches the id",
    { before: category, update: categoryUpdate },
    ({ before, update }) => {
      const once = amend(before, update)
      assert.deepStrictEqual(amend(once, update), once)
      assert.isTrue(sameCategory(amend(once, update), once))
      assert.strictEqual(once.id, before.id)
    }
  )
})

describe("the input of a category", () => {
  const validate = validator(NewCategory)
  it("given names and descriptions at their longest, then it is taken", () => {
    const input = { name: "🐶".repeat(100), description: "🐶".repeat(1_000) }
    assert.deepStrictEqual(validate("/body", input), Result.succeed(input))
  })

  it("given one character more of each, then both are rejected", () => {
    assert.deepStrictEqual(
      validate("/body", { name: "🐶".repeat(101), description: "🐶".repeat(1_001) }),
      Result.fail([
        { path: "/body/name", message: "Expected at most 100 characters, not a string of 101 characters" },
        { path: "/body/description", message: "Expected at most 1000 characters, not a string of 1001 characters" }
      ])
    )
  })

  it("given an id, then it is an unknown field", () => {
    assert.deepStrictEqual(
      validate("/body", { id: 1, name: "Dogs" }),
      Result.fail([{ path: "/body/id", message: "Unknown field; the known ones are name, description" }])
    )
  })
})
