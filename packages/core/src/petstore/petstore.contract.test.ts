import { assert, describe, it } from "@effect/vitest"
import { checkInvariants, embeddedContract, modelContract, petstoreContract, registerContract } from "@petstore/testing"
import { disabledWebhook, expectLogs, openTwice } from "../../test/support/expectLogs.ts"
import { memoryPetstores } from "../../test/support/memoryFixtures.ts"

expectLogs(disabledWebhook, openTwice)

describe("petstore in memory", () => {
  const fixture = { open: memoryPetstores.open, afterEach: checkInvariants }
  const cases = [
    ...petstoreContract(fixture),
    ...embeddedContract(memoryPetstores),
    ...modelContract(fixture, { runs: 100, size: 100 })
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
