import { assert, describe, it } from "@effect/vitest"
import { fileOf, newImportBatch } from "../../testing/src/storage/rows.ts"
import { untyped } from "../../testing/src/untyped.ts"
import type { ImportBatch } from "../tables/importTable.ts"
import { importProblem } from "./imports.ts"

const first = newImportBatch()
const second = newImportBatch({
  seq: 2,
  line: 9,
  imported: 3,
  rejected: 2,
  categories: 2,
  rejections: [
    { line: 4, reason: "name is empty" },
    { line: 9, reason: "name is empty" }
  ]
})
/** Resumed, without rows. */
const third = { ...second, seq: 3, rejections: [] }
const fourth = { ...third, seq: 4, line: 10, imported: 4 }
const end = { ...fourth, seq: 5, finished: true }
const again = newImportBatch({ seq: 6, run: 2, settings: '{"format":"ndjson"}' })
const other = newImportBatch({ file: fileOf(2) })
const whole: ReadonlyArray<ImportBatch> = [first, second, third, fourth, end, again, other]

const problems = (batches: ReadonlyArray<ImportBatch>): ReadonlyArray<string> =>
  batches.flatMap((batch, index) => {
    const before = batches[index - 1]
    return importProblem(before?.file === batch.file ? before : undefined, batch) ?? []
  })

const altered = (at: number, change: Partial<ImportBatch>) =>
  problems(whole.map((batch, index) => (index === at ? { ...batch, ...change } : batch)))

describe("the batches of imports", () => {
  it("given runs that were stopped, resumed, finished and repeated, then all is in order", () => {
    assert.deepStrictEqual(problems(whole), [])
  })

  it("given any batch that is gone, but for the last of a file, then that is seen", () => {
    for (const gone of [0, 1, 2, 3, 4]) assert.isNotEmpty(problems(whole.filter((_, at) => at !== gone)))
  })

  const changes: ReadonlyArray<readonly [number, Partial<ImportBatch>]> = [
    [0, { file: "x" }],
    [0, { file: "A".repeat(64) }],
    [0, { seq: 0 }],
    [0, { seq: 2 }],
    [0, { run: 0 }],
    [0, { run: 2 }],
    [0, { line: 1 }],
    [0, { imported: 1 }],
    [0, { rejected: 1 }],
    [0, { categories: 1 }],
    [0, { finished: true }],
    [0, { settings: "[]" }],
    [0, { settings: "{" }],
    [0, { settings: '{"format":"ndjson"}' }],
    [0, { rejections: [{ line: 1, reason: "x" }] }],
    [1, { line: 8 }],
    [1, { line: 4.5 }],
    [1, { line: -1 }],
    [1, { imported: 2.5 }],
    [1, { imported: 8 }],
    [1, { imported: -1 }],
    [1, { rejected: 3 }],
    [1, { categories: 6 }],
    [1, { categories: -1 }],
    [1, { rejections: [] }],
    [1, { rejections: [...second.rejections].reverse() }],
    [1, { rejections: [second.rejections[0] ?? { line: 0, reason: "" }, { line: 10, reason: "x" }] }],
    [1, { rejections: second.rejections.map(({ line }) => ({ line, reason: "" })) }],
    [1, { rejections: untyped(null) }],
    [1, { rejections: untyped([null, null]) }],
    [1, { finished: true }],
    [2, { line: 10 }],
    [2, { imported: 4 }],
    [3, { finished: true }],
    [3, { imported: 3 }],
    [4, { imported: 5 }],
    [5, { seq: 7 }],
    [5, { run: 3 }],
    [5, { run: 1 }],
    [5, { finished: true }],
    [6, { seq: 2 }]
  ]
  for (const [at, change] of changes) {
    it(`given ${JSON.stringify(change)} in batch ${at}, then that is seen`, () => {
      assert.isNotEmpty(altered(at, change))
    })
  }
})
