import { assert, describe, it } from "@effect/vitest"
import { checkInvariants, embeddedContract, engineContract, registerContract } from "@petstore/testing"
import { disabledWebhook, expectLogs } from "../../test/support/expectLogs.ts"
import { memoryPetstores } from "../../test/support/memoryFixtures.ts"

expectLogs(disabledWebhook)

describe("petstore in memory", () => {
  const cases = [
    ...engineContract({ open: memoryPetstores.open, afterEach: checkInvariants }),
    ...embeddedContract(memoryPetstores)
  ]

  registerContract(cases, { describe, it })

  it("skips no promise of the contract, and no two have the same name", () => {
    assert.deepStrictEqual(
      cases.filter(({ skip }) => skip !== undefined),
      []
    )
    assert.strictEqual(new Set(cases.map(({ group, name }) => `${group}: ${name}`)).size, cases.length)
  })
})
