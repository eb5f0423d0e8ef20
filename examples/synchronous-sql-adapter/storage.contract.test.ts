import { registerContract, storageContract } from "@petstore/testing"
import { assert, describe, it } from "vitest"
import { storageFixture } from "./test/storageFixture.ts"

const cases = storageContract(storageFixture)

describe("a store on a synchronous SQL driver", () => {
  registerContract(cases, { describe, it })

  it("skips no case", () => {
    assert.deepStrictEqual(
      cases.filter(({ skip }) => skip !== undefined),
      []
    )
  })
})
