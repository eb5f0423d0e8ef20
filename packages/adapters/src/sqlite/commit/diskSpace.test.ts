import { constants } from "node:os"
import { assert, describe, it } from "vitest"
import { isNoSpace } from "./diskSpace.ts"

/** The error of a write, as Node.js makes it of the number that the system returns. */
const errorOf = (code: string, errno: number): Error => Object.assign(new Error(`${code}, write`), { code, errno })

describe("given a write that failed", () => {
  const { EDQUOT, EFBIG, EIO, ENOSPC } = constants.errno

  it("then a full disk, an exceeded quota and an exceeded file size limit count as a lack of space", () => {
    assert.isTrue(isNoSpace(errorOf("ENOSPC", -ENOSPC)))
    assert.isTrue(isNoSpace(errorOf("EFBIG", -EFBIG)))
    assert.isTrue(isNoSpace(errorOf(`Unknown system error ${-EDQUOT}`, -EDQUOT)))
  })

  it("then no other error does", () => {
    assert.isFalse(isNoSpace(errorOf("EIO", -EIO)))
    assert.isFalse(isNoSpace(undefined))
    assert.isFalse(isNoSpace(new Error("something else")))
  })
})
