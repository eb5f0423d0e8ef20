import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { afterPrefix } from "./prefix.ts"

/** As SQLite compares: UTF-8, byte by byte, which is by code points. */
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const text = fc.string({ unit: "binary", maxLength: 6 })

describe("the range of a prefix", () => {
  it("ends at the next code point, after the surrogates where it meets them", () => {
    assert.strictEqual(afterPrefix("Re"), "Rf")
    assert.strictEqual(afterPrefix("R\u{1F415}"), "R\u{1F416}")
    assert.strictEqual(afterPrefix("\uD7FF"), "\uE000")
    assert.strictEqual(afterPrefix("\uFFFF"), "\u{10000}")
    assert.strictEqual(afterPrefix("a\u{10FFFF}\u{10FFFF}"), "b")
    assert.isUndefined(afterPrefix("\u{10FFFF}"))
    assert.isUndefined(afterPrefix(""))
  })

  it("holds exactly the texts with the prefix", () => {
    const edge = fc.constantFrom("\u{10FFFF}", "\uD7FF", "\uE000", "\uFFFF")
    const prefix = fc.array(fc.oneof(text, edge), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""))
    fc.assert(
      fc.property(prefix, text, fc.boolean(), (start, rest, related) => {
        const candidate = related ? start + rest : rest
        const end = afterPrefix(start)
        const inRange = compare(start, candidate) <= 0 && (end === undefined || compare(candidate, end) < 0)
        assert.strictEqual(inRange, candidate.startsWith(start))
      })
    )
  })
})
