import { assert, describe, it } from "vitest"
import { commandSets } from "./commandSets.ts"
import { explore } from "./explore.ts"

describe("given all commands of the petstore", () => {
  for (const { commands, ofThree = commands, which } of commandSets) {
    it(`when any three run at once, ${which}, then they end as if they ran one after the other`, async () => {
      const { combinations, findings } = await explore({ ...ofThree, atOnce: 3 })
      const count = Object.keys(ofThree.commands).length
      assert.strictEqual(combinations, (count * (count + 1) * (count + 2)) / 6)
      assert.deepStrictEqual(findings, [])
    })
  }
})
