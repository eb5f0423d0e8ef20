import { assert, describe, it } from "@effect/vitest"
import { columnsOf, compareValues, query, table, type Value } from "./Table.ts"

describe("given values of columns", () => {
  it("then they are in the order of databases: nothing first, texts by code points", () => {
    const values: ReadonlyArray<Value> = [
      null,
      -1,
      false,
      true,
      2,
      "",
      "A",
      "AB",
      "B",
      "b",
      "é",
      "\uffff",
      "\u{10000}",
      "\u{103ff}",
      "😀"
    ]
    for (const [place, value] of values.entries()) {
      for (const [other, than] of values.entries()) {
        assert.strictEqual(Math.sign(compareValues(value, than)), Math.sign(place - other), `${value} and ${than}`)
      }
    }
    assert.strictEqual(compareValues(undefined, null), 0)
  })
})

interface Book {
  readonly id: number
  readonly price: number
  readonly isLent: boolean
}

const book = columnsOf<Book>()
const books = table<Book>("books", {
  key: ["id"],
  columns: { id: book.integer("id"), price: book.integer("price"), is_lent: book.boolean("isLent") },
  indexes: { price: { equal: ["is_lent"], order: ["price", "id"] }, lent: { equal: ["is_lent"], order: ["id"] } }
})

describe("given a query of two ranges in different orders", () => {
  it("then the rows of the first one come first, each range in its own order", () => {
    const byPrice = query(books, "byPrice", () => [
      { index: "price", equal: { is_lent: false } },
      { index: "lent", equal: { is_lent: true } }
    ])
    const rows = [
      { id: 1, price: 2, isLent: true },
      { id: 2, price: 1, isLent: true },
      { id: 3, price: 4, isLent: false },
      { id: 4, price: 3, isLent: false }
    ]
    const ids = rows.toSorted((one, other) => byPrice.compare(one, other, undefined)).map(({ id }) => id)
    assert.deepStrictEqual(ids, [4, 3, 1, 2])
  })
})
