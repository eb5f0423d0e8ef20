import { runInNewContext } from "node:vm"
import { transform } from "esbuild"
import { assert, describe, it } from "vitest"
import { placesIn, switches, withSwitches } from "./places.ts"

const text = `
type Both = { readonly a: true } & { readonly "ä": 1 | 2 }
const sell = function* (stock: Stock, isOpen = false) {
  // if (stock.units < 1) return
  if (stock.units < 1 && !isOpen) return "a === b"
  yield* tx.save(stocks, stock as Both)
  check(stock)
  const left = (stock.units - 1) as number
  isOpen && check(left)
  return (yield left) || (left > 0 && left === 7)
}
`
const places = placesIn("sell.ts", text)

describe("given a source", () => {
  it("then operators, literals, guards and effects are places of faults, but no types, texts and comments", () => {
    assert.deepStrictEqual(
      places.map(({ new: instead, old }) => `${old} -> ${instead}`),
      [
        "false -> true",
        "stock.units < 1 && !isOpen -> false",
        "< -> <=",
        "&& -> ||",
        "yield* tx.save(stocks, stock as Both) -> void 0",
        "check(stock) -> void 0",
        "- -> +",
        "&& -> ||",
        "|| -> &&",
        "> -> >=",
        "&& -> ||",
        "=== -> !=="
      ]
    )
  })

  it("when it has a switch at each place, then each does what the text with the fault would, and counts that it ran", async () => {
    const compiled = async (source: string) => (await transform(source, { loader: "ts" })).code
    // What the program does: its effects, what it yields, and its result.
    const run = (code: string, fault?: number) => {
      const did: Array<unknown> = []
      const tx = { save: () => ["saved"] }
      const globals: Record<string, unknown> & { $fault?: { on: number; hits: Uint8Array } } = {
        tx,
        stocks: 0,
        check: (value: unknown) => did.push(JSON.stringify(value))
      }
      runInNewContext(fault === undefined ? "" : switches(20), globals)
      if (fault !== undefined) Object.assign(globals.$fault ?? {}, { on: fault })
      const stocks = [[0], [1], [8], [1, true], [8, true]].map(([units, isOpen]) => `[{ units: ${units} }, ${isOpen}]`)
      const calls = `[${stocks.join()}].map((args) => { const all = []; const sold = sell(...args)
        for (let next = sold.next(); ; next = sold.next(0)) { all.push(next.value); if (next.done) return all } })`
      return {
        did,
        results: JSON.stringify(runInNewContext(`${code}; ${calls}`, globals)),
        hits: globals.$fault?.hits ?? []
      }
    }
    const switched = await compiled(withSwitches(text, places, 5))
    const unchanged = run(switched, -1)
    assert.deepStrictEqual({ ...unchanged, hits: undefined }, { ...run(await compiled(text)), hits: undefined })
    assert.deepStrictEqual([...unchanged.hits], [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0])
    assert.strictEqual(withSwitches(text, places, 5).split("\n").length, text.split("\n").length)
    let seen = 0
    for (const [index, { at, new: instead, old }] of places.entries()) {
      const { did, results } = run(await compiled(text.slice(0, at) + instead + text.slice(at + old.length)))
      const { hits: _, ...other } = run(switched, 5 + index)
      assert.deepStrictEqual(other, { did, results }, `${old} at ${at}`)
      if (results !== unchanged.results || did.length !== unchanged.did.length) seen++
    }
    assert.isAbove(seen, 8)
  })
})
