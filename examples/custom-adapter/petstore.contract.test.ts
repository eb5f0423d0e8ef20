import { checkInvariants, embeddedContract, petstoreContract, registerContract } from "@petstore/testing"
import { assert, describe, it } from "vitest"
import { clearText, disabledWebhook, expectLogs, openTwice } from "../../packages/core/test/support/expectLogs.ts"
import { petstoreFixture } from "./test/petstoreFixture.ts"

expectLogs(clearText, disabledWebhook, openTwice)

const cases = [
  ...petstoreContract({ open: petstoreFixture.open, afterEach: checkInvariants }),
  ...embeddedContract(petstoreFixture)
]

describe("a petstore on LMDB", () => {
  registerContract(cases, { describe, it })

  it("skips no case", () => {
    assert.deepStrictEqual(
      cases.filter(({ skip }) => skip !== undefined),
      []
    )
  })
})
