import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { paginate } from "./pagination.ts"

const pageOf = (rows: number) =>
  paginate(
    { limit: 1 },
    {
      list: "rows",
      start: 0,
      position: (row: number) => row,
      count: (most) => Effect.succeed(Math.min(rows, most))
    },
    () => Effect.succeed([1, 2]),
    (row) => row
  )

describe("given a list that is counted", () => {
  for (const [rows, count, isExact] of [
    [0, 0, true],
    [9_999, 9_999, true],
    [10_000, 10_000, true],
    [10_001, 10_000, false],
    [1_000_000, 10_000, false]
  ] as const) {
    it.effect(`with ${rows} rows, then its total is ${count}, ${isExact ? "and that is all" : "of more"}`, () =>
      Effect.map(pageOf(rows), ({ total }) => assert.deepStrictEqual(total, { count, isExact }))
    )
  }
})
