import { assert, describe, it } from "@effect/vitest"
import { columnsOf } from "../../../console/pages/overview/columnsOf.ts"

const none = new Array(184).fill(0)
const now = 1_000

/** Two orders a second. */
const counts = { order: new Array(184).fill(2), inventory: none, pet: none, message: none, webhook: none }

describe("the chart of events in the console", () => {
  it("given events that the page did not count, then it has the rates that the server kept, and is unknown before", () => {
    const columns = columnsOf(now, 1, { counts, knownSince: 990, rates: [{ from: 970, at: 990, events: 5 }] })
    assert.lengthOf(columns, 60)
    const shown = columns.map(({ known, values }) => (known ? `${values[0]} ${values.at(-1)}` : "unknown"))
    assert.deepStrictEqual(shown, [...Array(30).fill("unknown"), ...Array(20).fill("0 5"), ...Array(10).fill("2 0")])
  })

  it("given columns of several seconds, then each has the mean of them", () => {
    const columns = columnsOf(now, 3, { counts, knownSince: 0, rates: [] })
    assert.deepStrictEqual(columns.at(-1), { known: true, values: [2, 0, 0, 0, 0, 0] })
  })
})
