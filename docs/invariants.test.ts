import { readFile } from "node:fs/promises"
import { createPetstore } from "@petstore/core"
import { assert, it } from "vitest"

const section = async (title: string): Promise<string> => {
  const text = await readFile(new URL("./invariants.md", import.meta.url), "utf8")
  return text.split(/^## /m).find((part) => part.startsWith(title)) ?? assert.fail(`There is no section ${title}`)
}

it("docs/invariants.md lists the names and rules that verify reports, in the same order", async () => {
  const text = await section("Checked by verify")
  const listed = [...text.matchAll(/^- `(\w+)`: (.+)$/gm)].map(([, name, rule]) => ({ name, rule }))
  await using petstore = await createPetstore()
  const { checks } = await petstore.verify()
  assert.deepStrictEqual(
    listed,
    checks.map(({ name, rule }) => ({ name, rule }))
  )
})
