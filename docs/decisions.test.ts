import { readFile } from "node:fs/promises"
import { assert, describe, it } from "vitest"

const text = await readFile(new URL("./decisions.md", import.meta.url), "utf8")
const chapters = text.split(/^### /m).slice(1)

describe("docs/decisions.md", () => {
  it("has no chapter outside a group", () => {
    assert.isNotEmpty(chapters)
    const groups = text.split(/^## /m).slice(1)
    assert.deepStrictEqual(
      groups.filter((group) => !/^.+\n\n### /.test(group)),
      []
    )
  })

  for (const chapter of chapters) {
    const [title = ""] = chapter.split("\n")
    it(`gives the decision of "${title}", its reason, and the code or test that keeps it`, () => {
      assert.match(chapter, /^.+\n\n(?!\*\*)\S[\s\S]+\n\n\*\*Why\.\*\* \S[\s\S]+\n\n\*\*Code\.\*\* .*\]\(\.\.\//)
    })
  }
})
