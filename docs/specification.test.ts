import { readFile } from "node:fs/promises"
import { assert, describe, it } from "vitest"
import { sections } from "../scripts/specification/literals.ts"
import { documentFile, page, problemsOf } from "../scripts/specification/page.ts"

describe("docs/specification.md", () => {
  it("shows the literals as they are; npm run specification writes it", async () => {
    assert.strictEqual(await readFile(documentFile, "utf8"), page())
  })

  it("has an operation and a test that exists for each literal", () => {
    assert.deepStrictEqual(problemsOf(sections), [])
  })

  it("given a literal without an operation, or with a test that is gone, then it is reported", () => {
    const at = (test: readonly [string, string], operations: [] | "every operation" = "every operation") =>
      problemsOf([{ heading: "Errors", literals: [{ text: "Says so", operations, tests: [test] }] }])
    const found = ["docs/specification.test.ts", "shows the literals as they are"] as const
    assert.deepStrictEqual(at(found), [])
    assert.deepStrictEqual(at(found, []), ["Says so: it has no operation"])
    assert.deepStrictEqual(at(["docs/none.test.ts", "says so"]), ["Says so: there is no file docs/none.test.ts"])
    // Written in two parts, so that this file does not have it.
    const gone = ["it is", " gone"].join("")
    assert.deepStrictEqual(at([found[0], gone]), [`Says so: ${found[0]} has no test ${JSON.stringify(gone)}`])
  })
})
