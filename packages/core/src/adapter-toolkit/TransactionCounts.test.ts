import { assert, describe, it } from "vitest"
import { groupSizeLimits } from "../ports/StorageActivity.ts"
import { TransactionCounts } from "./TransactionCounts.ts"

describe("given the counts of a store", () => {
  for (const [size, limit] of [
    [1, 1],
    [2, 2],
    [3, 4],
    [4, 4],
    [33, 64],
    [64, 64],
    [1_000, 1_024],
    [5_000, 1_024]
  ] as const) {
    it(`when a commit has ${size} transactions, then it counts at ${limit}`, () => {
      const counts = new TransactionCounts()
      counts.commit(size)
      assert.deepStrictEqual(
        counts.groupSizes,
        groupSizeLimits.map((upTo) => (upTo === limit ? 1 : 0))
      )
      assert.deepStrictEqual([counts.commits, counts.grouped, counts.largestGroup], [1, size, size])
    })
  }
})
