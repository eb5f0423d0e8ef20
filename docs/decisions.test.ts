import { readFile } from "node:fs/promises"
import { assert, describe, it } from "vitest"

const text = await readFile(new URL("./decisions.md", import.meta.url), "utf8")
const records = text.split(/^### /m).slice(1)

describe("docs/decisions.md", () => {
  it("has no record outside a group", () => {
    assert.isNotEmpty(records)
    const groups = text.split(/^## /m).slice(1)
    assert.deepStrictEqual(
      groups.filter((group) => !/^.+\n\n### /.test(group)),
      []
    )
  })

  for (const record of records) {
    const [title = ""] = record.split("\n")
    it(`dates "${title}", and gives its context, decision and consequence`, () => {
      const parts =
        /^.+\n\n2\d{3}-\d\d-\d\d.*\n\n\*\*Context\.\*\* \S[\s\S]+\n\n\*\*Decision\.\*\* \S[\s\S]+\n\n\*\*Consequence\.\*\* \S/
      assert.match(record, parts)
    })
  }
})
