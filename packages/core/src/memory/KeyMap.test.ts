import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { KeyMap } from "./KeyMap.ts"

const key = fc.oneof(
  fc.integer({ min: 0, max: 8 }),
  fc.integer({ min: 500, max: 530 }),
  fc.integer({ min: 1_000, max: 1_100 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, 2 ** 31, 1.5, -1),
  fc.constantFrom("1", "a", "")
)

describe("given changes of a map with any keys", () => {
  it("then it has what a Map has", () => {
    const change = fc.record({
      key,
      removes: fc.boolean(),
      upTo: fc.integer({ min: 0, max: 600 })
    })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const map = new KeyMap<number | string, object>()
        const expected = new Map<number | string, object>()
        const set = (at: number | string): void => {
          const value = { at }
          map.set(at, value)
          expected.set(at, value)
        }
        for (const { key: at, removes, upTo } of changes) {
          if (removes) {
            map.delete(at)
            expected.delete(at)
          } else {
            set(at)
            if (upTo > 500) for (let id = 1; id <= upTo; id++) set(id)
          }
          assert.strictEqual(map.get(at), expected.get(at))
        }
        assert.strictEqual(map.size, expected.size)
        const values = [...map.values()]
        assert.strictEqual(values.length, expected.size)
        const found = new Set(values)
        for (const value of expected.values()) assert.isTrue(found.has(value))
        for (const [at, value] of expected) assert.strictEqual(map.get(at), value)
      })
    )
  })
})
