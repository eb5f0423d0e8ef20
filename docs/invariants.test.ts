import { createPetstore } from "@petstore/core"
import { it } from "vitest"
import { expectGenerated } from "./support/generatedTables.ts"

it("docs/invariants.md lists the names and rules that verify reports, in the same order", async () => {
  await using petstore = await createPetstore()
  const { checks } = await petstore.verify()
  await expectGenerated("invariants", { rules: checks.map(({ name, rule }) => `- \`${name}\`: ${rule}\n`).join("") })
})
