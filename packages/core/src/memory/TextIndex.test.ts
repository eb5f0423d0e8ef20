import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { byNumber } from "./SortedKeys.ts"
import { TextIndex } from "./TextIndex.ts"

const short = fc.string({ unit: fc.constantFrom("a", "b", "é", "🐶"), maxLength: 4 })

describe("TextIndex", () => {
  it("given any texts, it finds exactly those that come before another", () => {
    fc.assert(
      fc.property(fc.array(short, { maxLength: 60 }), short, (texts, end) => {
        const index = new TextIndex(byNumber, (text: string) => text)
        for (const [key, text] of texts.entries()) index.move(key, undefined, text)
        const before = [...texts.keys()].filter((key) => (texts[key] ?? "") < end)
        assert.deepStrictEqual([...index.before(end)].sort(byNumber), before)
      })
    )
  })

  it("given a row that changes and goes, it follows", () => {
    const index = new TextIndex(byNumber, (text: string) => (text === "hidden" ? undefined : text))
    index.move(1, undefined, "Rex")
    index.move(1, "Rex", "Max")
    assert.deepStrictEqual([[...index.before("Max")], [...index.before("May")]], [[], [1]])
    index.move(1, "Max", "hidden")
    assert.deepStrictEqual([...index.before("z")], [])
    index.move(1, "hidden", "Max")
    index.move(1, "Max", undefined)
    assert.strictEqual(index.size, 0)
  })
})
