import { assert, describe, it } from "@effect/vitest"
import { registerContract, storageContract } from "@petstore/testing"
import { commitModes } from "../../test/support/postgres/commitModes.ts"
import { testStores } from "../../test/support/postgres/testStores.ts"

const mode = "with shared commits"
const cases = storageContract(testStores(commitModes[mode]).storage())

describe(`postgres, ${mode}`, () => {
  registerContract(cases, { describe, it })

  it("skips no case", () => {
    assert.deepStrictEqual(
      cases.filter(({ skip }) => skip !== undefined),
      []
    )
  })
})
