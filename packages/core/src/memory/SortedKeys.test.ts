import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { byNumber, byText, SortedKeys } from "./SortedKeys.ts"

// Many keys on few values, so that some are added twice and removed, and more than one chunk's worth of them.
const changes = fc.array(fc.record({ add: fc.boolean(), key: fc.integer({ min: 0, max: 3_000 }) }), {
  minLength: 1_000,
  maxLength: 4_000,
  size: "max"
})

describe("SortedKeys", () => {
  it("given any additions and removals, it holds what a set would, in ascending order", () => {
    fc.assert(
      fc.property(changes, fc.integer({ min: -1, max: 3_001 }), (all, key) => {
        const keys = new SortedKeys(byNumber)
        const expected = new Set<number>()
        for (const change of all) {
          if (change.add || change.key % 2 === 0) {
            keys.add(change.key)
            expected.add(change.key)
          } else {
            keys.remove(change.key)
            expected.delete(change.key)
          }
        }
        const sorted = [...expected].sort((a, b) => a - b)
        assert.deepStrictEqual([...keys.above(-1)], sorted)
        assert.deepStrictEqual(
          [...keys.above(key)],
          sorted.filter((other) => other > key)
        )
        assert.strictEqual(keys.size, sorted.length)
        assert.strictEqual(keys.last, sorted.at(-1))
        assert.strictEqual(keys.has(key), expected.has(key))
      }),
      { numRuns: 30 }
    )
  })

  it("given keys in descending order, it answers them in ascending order across chunks", () => {
    const keys = new SortedKeys(byNumber)
    for (let key = 5_000; key > 0; key--) keys.add(key)
    assert.deepStrictEqual(
      [...keys.above(0)],
      Array.from({ length: 5_000 }, (_, index) => index + 1)
    )
  })

  it("given texts, it orders them by code units", () => {
    const keys = new SortedKeys(byText)
    for (const text of ["b", "a", "B", "é", "🐶", ""]) keys.add(text)
    assert.deepStrictEqual([...keys.from(() => false)], ["", "B", "a", "b", "é", "🐶"])
  })
})
