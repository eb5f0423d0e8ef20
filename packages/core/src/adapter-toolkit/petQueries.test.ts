import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { compareCodePoints, comparePets, isAfterCursor } from "./petQueries.ts"

const text = fc.string({
  unit: fc.constantFrom("a", "b", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}"),
  maxLength: 4
})

const codePoints = (name: string) => Array.from(name, (character) => character.codePointAt(0) ?? 0)

describe("the order of a list by name", () => {
  it("given any texts, it is that of their UTF-8 bytes", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b))
        assert.strictEqual(Math.sign(compareCodePoints(a, b)), bytes, `${codePoints(a)} and ${codePoints(b)}`)
      })
    )
  })

  it("given pets of one name, it is that of their ids, and without a name it always is", () => {
    const pets = [
      { id: 2, name: "Rex" },
      { id: 1, name: "Rex" },
      { id: 3, name: "Max" }
    ]
    const ids = (name: string | undefined) =>
      [...pets].sort(comparePets({ name, after: 0, limit: 1 })).map(({ id }) => id)
    assert.deepStrictEqual(
      [ids("R"), ids(undefined)],
      [
        [3, 1, 2],
        [1, 2, 3]
      ]
    )
  })

  it("given a position, exactly the pets that follow it in that order are after it", () => {
    const rex = { id: 2, name: "Rex" }
    const behind = isAfterCursor({ name: "", after: 2, afterName: "Rex", limit: 1 })
    assert.deepStrictEqual(
      [rex, { ...rex, id: 3 }, { ...rex, id: 1 }, { id: 1, name: "Rey" }, { id: 9, name: "Max" }].map(behind),
      [false, true, false, true, false]
    )
    assert.isTrue(isAfterCursor({ name: "", after: 0, limit: 1 })(rex))
    assert.isFalse(isAfterCursor({ after: 2, limit: 1 })(rex))
  })
})
