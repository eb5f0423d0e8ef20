import { assert, describe, it } from "@effect/vitest"
import type { Range } from "@petstore/core/kernel"
import { pets } from "@petstore/core/tables"
import { mergeRanges as postgresRanges } from "../postgres/statements/mergeRanges.ts"
import { mergeRanges as sqliteRanges } from "../sqlite/statements/mergeRanges.ts"
import type { MergeRanges } from "./IndexRange.ts"
import { all } from "./Program.ts"
import { ShapedStatements } from "./ShapedStatements.ts"
import { indexRange, selectFor } from "./tableText.ts"

const statements = () => {
  const made: Array<string> = []
  const shaped = new ShapedStatements(
    pets,
    (ranges) => selectFor(pets, ranges),
    (text) => {
      made.push(text)
      return all(text, pets.decode)
    }
  )
  return { made, shaped }
}

const ranges = (seed: number): ReadonlyArray<ReadonlyArray<Range>> => [
  [{ after: [seed] }],
  [{ from: seed, before: seed + 5 }],
  [{ index: "status_name", equal: { status: `s${seed}` }, after: [`Rex ${seed}`, seed] }],
  [
    {
      index: "status_name",
      equal: { status: `s${seed}` },
      from: `R${seed}`,
      to: `S${seed}`,
      after: [`Rex ${seed}`, seed]
    }
  ],
  [
    { index: "category_status", equal: { category_id: seed, status: "a" }, after: [seed + 1] },
    { index: "category_status", equal: { category_id: seed + 2, status: "b" }, after: [seed + 3] }
  ]
]

describe("statements that are made once for each shape of ranges", () => {
  for (const [database, merge] of Object.entries({ sqliteRanges, postgresRanges })) {
    for (const isReversed of [false, true]) {
      it(`given ranges with other values, by ${database}, reversed: ${isReversed}, then the text is that of the first, and the values are theirs`, () => {
        const { made, shaped } = statements()
        for (const seed of [10, 20, 30]) {
          for (const some of ranges(seed)) {
            const { statement, values } = shaped.asked(merge, some, 20, isReversed)
            const found = some.map((range) => indexRange(pets, range))
            const expected = merge(selectFor(pets, some), found, 20, isReversed)
            assert.deepStrictEqual({ text: statement.sql, values }, { ...expected, values: [...expected.values] })
          }
        }
        assert.lengthOf(made, ranges(0).length)
      })
    }
  }

  it("given limits of the same power of two, then they share a text; given others, then each is what the database would make", () => {
    const { made, shaped } = statements()
    for (const limit of [1, 2, 3, 4, 5, 8, 21, 101]) {
      const { statement, values } = shaped.asked(postgresRanges, [{ after: [7] }], limit, false)
      const expected = postgresRanges(selectFor(pets, [{ after: [7] }]), [indexRange(pets, { after: [7] })], limit)
      assert.deepStrictEqual({ text: statement.sql, values }, { ...expected, values: [...expected.values] })
    }
    // 3 and 4, and 5 and 8, are alike.
    assert.lengthOf(made, 6)
  })

  it("given a database whose texts contain values or limits, then each call gets its own", () => {
    const inline: MergeRanges = (select, [range], limit) => ({
      text: `${select} WHERE id > ${range?.after[0]} LIMIT ${limit}`,
      values: []
    })
    const { shaped } = statements()
    const texts = [7, 8].map((after) => shaped.asked(inline, [{ after: [after] }], 20, false).statement.sql)
    assert.isTrue(texts[0]?.endsWith("WHERE id > 7 LIMIT 20"))
    assert.isTrue(texts[1]?.endsWith("WHERE id > 8 LIMIT 20"))
  })
})
