import { assert, describe, it } from "@effect/vitest"
import { checkInvariants, embeddedContract, modelContract, registerContract } from "@petstore/testing"
import { clearText, disabledWebhook, expectLogs, openTwice } from "../../../core/test/support/expectLogs.ts"
import { contracts } from "../../test/support/contracts.ts"
import { testStores } from "../../test/support/postgres/testStores.ts"

expectLogs(clearText, disabledWebhook, openTwice)

for (const [name, options] of Object.entries(contracts.commitModes)) {
  const { petstores } = testStores(options)
  const { open } = petstores
  const cases = [
    ...contracts.petstore(open),
    ...embeddedContract(petstores),
    ...modelContract({ open, afterEach: checkInvariants }, { runs: 15 })
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
