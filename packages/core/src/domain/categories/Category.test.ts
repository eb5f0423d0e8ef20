import { assert, describe, it } from "@effect/vitest"
import { category, categoryUpdate } from "../../../testing/src/arbitraries.ts"
import { amend, type Category, type CategoryUpdate, sameCategory } from "./Category.ts"

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
