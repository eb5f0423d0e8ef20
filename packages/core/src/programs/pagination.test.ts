import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Known, runNow } from "../kernel/Command.ts"
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

describe("given a list that is searched", () => {
  /** The pages of the numbers up to one that a divisor divides, and how many rows each has read. */
  const pagesOf = (rows: number, divisor: number) => {
    const pages: Array<{ readonly items: ReadonlyArray<number>; readonly read: number }> = []
    let cursor: string | undefined
    do {
      let read = 0
      const page = Result.getOrThrow(
        runNow(
          pageOf(
            { limit: 2, ...(cursor === undefined ? {} : { cursor }) },
            {
              list: "rows",
              start: 0,
              rows: (after: number, limit) => {
                read = Math.min(limit, rows - after)
                return new Known(Array.from({ length: read }, (_, index) => after + index + 1))
              },
              position: (row: number) => row,
              item: (row) => row,
              selects: (row) => row % divisor === 0
            }
          )
        )
      )
      pages.push({ items: page.items, read })
      cursor = page.next
    } while (cursor !== undefined)
    return pages
  }

  it("with few matches, then pages are short, none reads more than 1,000 rows, and only the last has no next", () => {
    assert.deepStrictEqual(pagesOf(2_500, 2_400), [
      { items: [], read: 1_000 },
      { items: [], read: 1_000 },
      { items: [2_400], read: 500 }
    ])
  })

  it("with a full page of matches among 1,000 rows, then it continues behind these", () => {
    assert.deepStrictEqual(pagesOf(1_500, 500), [
      { items: [500, 1_000], read: 1_000 },
      { items: [1_500], read: 500 }
    ])
  })

  it("with many matches, then each page is full and continues behind its last row", () => {
    assert.deepStrictEqual(
      pagesOf(50, 10).map(({ items }) => items),
      [[10, 20], [30, 40], [50]]
    )
  })
})
