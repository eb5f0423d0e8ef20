import { assert, describe, it } from "@effect/vitest"
import { registerContract, storageContract } from "@petstore/testing"
import { commitModes } from "../../test/support/postgres/commitModes.ts"
import { testStores } from "../../test/support/postgres/testStores.ts"

for (const [name, options] of Object.entries(commitModes)) {
  const cases = storageContract(testStores(options).storage())

  describe(`postgres, ${name}`, () => {
    registerContract(cases, { describe, it })

    it("skips no case", () => {
      assert.deepStrictEqual(
        cases.filter(({ skip }) => skip !== undefined),
        []
      )
    })
  })
}
