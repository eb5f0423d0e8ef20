import { assert, describe, it } from "@effect/vitest"
import { copyOfData } from "./eventShapes.ts"

describe("given the data of an event", () => {
  const cases: ReadonlyArray<object> = [
    { id: 7, name: "Nemo", held: false, gone: null },
    { id: 7, shipDate: undefined },
    { id: 7, types: ["order.placed"], last: { at: undefined, code: 410 } },
    {}
  ]
  for (const data of cases) {
    it(`${JSON.stringify(data)}, then its copy is what its JSON would be parsed as`, () => {
      const copy = copyOfData(data)
      assert.deepStrictEqual(Object.entries(copy), Object.entries(JSON.parse(JSON.stringify(data))))
      assert.notStrictEqual(copy, data)
    })
  }

  it("when what it was made of changes, then the copy does not", () => {
    const data = { types: ["order.placed"] }
    const copy = copyOfData(data)
    data.types.push("pet.created")
    assert.deepStrictEqual(copy.types, ["order.placed"])
  })
})
