import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Known, runNow } from "../engine/Command.ts"
import { pageOf } from "./pagination.ts"

const totalOf = (rows: number) =>
  runNow(
    pageOf(
      { limit: 1 },
      {
        list: "rows",
        start: 0,
        rows: () => new Known([1, 2]),
        position: (row) => row,
        item: (row) => row,
        count: (most) => new Known(Math.min(rows, most))
      }
    )
  )

describe("given a list that is counted", () => {
  for (const [rows, count, isExact] of [
    [0, 0, true],
    [9_999, 9_999, true],
    [10_000, 10_000, true],
    [10_001, 10_000, false],
    [1_000_000, 10_000, false]
  ] as const) {
    it(`with ${rows} rows, then its total is ${count}, ${isExact ? "and that is all" : "of more"}`, () => {
      const page = Result.getOrThrow(totalOf(rows))
      assert.deepStrictEqual(page.total, { count, isExact })
    })
  }
})
