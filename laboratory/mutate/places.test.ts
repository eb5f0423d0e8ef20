import { assert, describe, it } from "vitest"
import { placesIn, replaced } from "./places.ts"

const text = `
type Both = { readonly a: true } & { readonly "ä": 1 | 2 }
export const sell = function* (stock: Stock, isOpen = false) {
  // if (stock.units < 1) return
  if (stock.units < 1 && !isOpen) return "a === b"
  yield* tx.save(stocks, stock as Both)
  check(stock)
  const left = stock.units - 1
  return left
}
`

describe("given a source", () => {
  it("then operators, literals, guards and effects are places of faults, but no types, texts and comments", () => {
    assert.deepStrictEqual(
      placesIn("sell.ts", text).map(({ new: instead, old }) => `${old} -> ${instead}`),
      [
        "false -> true",
        "stock.units < 1 && !isOpen -> false",
        "< -> <=",
        "&& -> ||",
        "yield* tx.save(stocks, stock as Both) -> void 0",
        "check(stock) -> void 0",
        "- -> +"
      ]
    )
  })

  it("then each fault is one replacement", () => {
    const [first] = placesIn("sell.ts", text)
    assert.strictEqual(first && replaced(text, first), text.replace("isOpen = false", "isOpen = true"))
  })
})
