import { assert, describe, it } from "@effect/vitest"
import { registerContract, storageContract } from "@petstore/testing"
import { memoryStores } from "../../test/support/memoryFixtures.ts"

const cases = storageContract(memoryStores)

describe("memory", () => {
  registerContract(cases, { describe, it })

  it("given memory, then it skips no case of the contract", () => {
    assert.deepStrictEqual(
      cases.filter(({ skip }) => skip !== undefined),
      []
    )
  })
})
