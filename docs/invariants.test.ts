import { readFile } from "node:fs/promises"
import { createPetstore } from "@petstore/core"
import { assert, it } from "vitest"

it("given the report of verify, when docs/invariants.md is read, then it lists exactly its names and rules, in its order", async () => {
  const text = await readFile(new URL("./invariants.md", import.meta.url), "utf8")
  const listed = [...text.matchAll(/^\| `(\w+)` \| (.+?) \| .+ \|$/gm)].map(([, name, rule]) => ({ name, rule }))
  await using petstore = await createPetstore()
  const { checks } = await petstore.verify()
  assert.deepStrictEqual(
    listed,
    checks.map(({ name, rule }) => ({ name, rule }))
  )
})
