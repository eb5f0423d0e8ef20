import { assert, describe, it } from "@effect/vitest"
import { sha256 as portable } from "@noble/hashes/sha2.js"
import * as fc from "fast-check"
import { sha256 } from "./nodeSha256.ts"

describe("SHA-256 by Node.js", () => {
  it("given any bytes, then it is that of every other runtime", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        assert.deepStrictEqual(sha256(bytes), portable(bytes))
      })
    )
  })
})
