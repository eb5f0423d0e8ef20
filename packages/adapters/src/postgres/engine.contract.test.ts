import { assert, describe, it } from "@effect/vitest"
import { checkInvariants, embeddedContract, engineContract, modelContract, registerContract } from "@petstore/testing"
import { clearText, disabledWebhook, expectLogs } from "../../../core/test/support/expectLogs.ts"
import { contracts } from "../../test/support/contracts.ts"
import { testStores } from "../../test/support/postgres/testStores.ts"

expectLogs(clearText, disabledWebhook)

for (const [name, options] of Object.entries(contracts.commitModes)) {
  const { petstores } = testStores(options)
  const { open } = petstores
  const verified = { open, afterEach: checkInvariants }
  // Verification is the same code on every store: here it follows the groups whose statements differ most.
  const sampled = contracts.sampled(engineContract(verified))
  const groups = new Set(sampled.map(({ group }) => group))
  const cases = [
    ...sampled,
    ...engineContract({ open }).filter(({ group }) => !groups.has(group)),
    ...embeddedContract(petstores),
    ...modelContract(verified, { runs: 15 })
  ]

  describe(`petstore on PostgreSQL, ${name}`, () => {
    registerContract(cases, { describe, it })

    it("skips no case", () => {
      assert.deepStrictEqual(
        cases.filter(({ skip }) => skip !== undefined),
        []
      )
    })
  })
}
