import { describe, expect, it } from "@effect/vitest"
import { ContendedRows } from "./ContendedRows.ts"

describe("ContendedRows", () => {
  it("given a row that was added, it knows it for ten seconds, however often it is added again", () => {
    let now = 0
    const rows = new ContendedRows(() => now)
    rows.add("pets", 1)
    now = 9_999
    rows.add("pets", 1)
    expect([rows.has("pets", 1), rows.has("pets", 2), rows.has("orders", 1)]).toEqual([true, false, false])
    now = 10_000
    expect(rows.has("pets", 1)).toBe(false)
    rows.add("pets", 1)
    expect(rows.has("pets", 1)).toBe(true)
  })
})
