import { assert, describe, it } from "@effect/vitest"
import { draftsOf, openOrdersOf } from "@petstore/core/tables"
import { type AskedList, GroupStatements } from "./GroupStatements.ts"

const statements = new GroupStatements("shop")

const listsOf = (...owners: ReadonlyArray<string>): ReadonlyArray<AskedList> =>
  owners.flatMap((argument) =>
    [openOrdersOf, draftsOf].map((query) => ({ query: query as unknown as AskedList["query"], argument, limit: 1_001 }))
  )

const result = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) => ({
  rows,
  command: "SELECT",
  count: rows.length
})

describe("given the open orders and drafts of 64 owners", () => {
  const lists = listsOf(...Array.from({ length: 64 }, (_, n) => `user ${n}`))

  it("then one statement reads them all, and one reserves them", () => {
    const [read, ...more] = statements.lists(lists)
    assert.isEmpty(more)
    const row = (place: number, id: number) => ({
      place,
      id,
      version: 1,
      state: "draft",
      created_at: "",
      updated_at: ""
    })
    const decoded = read?.decode(result([row(2, 7), row(128, 8), row(128, 9)])) ?? assert.fail("There is no statement")
    assert.deepStrictEqual(
      decoded.flatMap(([list, rows]) => (rows.length === 0 ? [] : [[lists.indexOf(list), rows.length]])),
      [
        [1, 1],
        [127, 2]
      ]
    )
    assert.lengthOf(statements.claim(lists).values, 1)
  })

  it("then the text is the same for any number of owners", () => {
    assert.strictEqual(statements.lists(lists)[0]?.text, statements.lists(listsOf("ada"))[0]?.text)
  })
})

describe("given reservations of which another transaction has one", () => {
  it("then the others are returned", () => {
    const lists = listsOf("ada").filter(({ query }) => query.isExclusive)
    const [ada, bob] = [...lists, ...listsOf("bob").filter(({ query }) => query.isExclusive)]
    if (ada === undefined || bob === undefined) return assert.fail("There are two")
    const { decode, text } = statements.claim([ada, bob])
    assert.include(text, "unnest")
    assert.deepStrictEqual([...decode(result([]))], [])
  })
})
