import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { compareKeys } from "./MemoryIndex.ts"
import { SortedList } from "./SortedList.ts"

const byNumber = (a: number, b: number) => a - b

// Many keys on few values, so that some are added twice and removed, and more than one chunk's worth of them.
const changes = fc.array(fc.record({ add: fc.boolean(), key: fc.integer({ min: 0, max: 3_000 }) }), {
  minLength: 1_000,
  maxLength: 4_000,
  size: "max"
})

describe("SortedList", () => {
  it("given any additions and removals, it holds what a set would, in ascending order and backwards", () => {
    fc.assert(
      fc.property(changes, fc.integer({ min: -1, max: 3_001 }), (all, key) => {
        const keys = new SortedList(byNumber)
        const expected = new Set<number>()
        for (const change of all) {
          if (change.add || change.key % 2 === 0) {
            if (!expected.has(change.key)) keys.add(change.key)
            expected.add(change.key)
          } else {
            keys.remove(change.key)
            expected.delete(change.key)
          }
        }
        const sorted = [...expected].sort((a, b) => a - b)
        assert.deepStrictEqual([...keys.from(() => false)], sorted)
        assert.deepStrictEqual(
          [...keys.from((other) => other <= key)],
          sorted.filter((other) => other > key)
        )
        assert.deepStrictEqual(
          [...keys.back((other) => other <= key)],
          sorted.filter((other) => other <= key).reverse()
        )
        assert.strictEqual(keys.size, sorted.length)
        assert.strictEqual(keys.last, sorted.at(-1))
        assert.strictEqual(keys.has(key), expected.has(key))
      }),
      { numRuns: 30 }
    )
  })

  it("given keys in descending order, it returns them in ascending order across chunks", () => {
    const keys = new SortedList(byNumber)
    for (let key = 5_000; key > 0; key--) keys.add(key)
    assert.deepStrictEqual(
      [...keys.from(() => false)],
      Array.from({ length: 5_000 }, (_, index) => index + 1)
    )
  })

  it("given texts, it orders them by code units", () => {
    const keys = new SortedList<string>(compareKeys)
    for (const key of ["b", "a", "B", "é", "🐶", ""]) keys.add(key)
    assert.deepStrictEqual([...keys.from(() => false)], ["", "B", "a", "b", "é", "🐶"])
  })
})
