import { assert, describe, it } from "vitest"
import { bytesOfHex } from "./hex.ts"

const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index)

describe("given bytes as hexadecimal digits", () => {
  for (const letters of ["lower", "upper"]) {
    it(`when their letters are ${letters} case, then each byte is read`, () => {
      const hex = Buffer.from(everyByte).toString("hex")
      assert.deepStrictEqual(bytesOfHex(letters === "lower" ? hex : hex.toUpperCase()), everyByte)
    })
  }

  it("when they start after a prefix, then the prefix is left out", () => {
    assert.deepStrictEqual(bytesOfHex("\\x00ff", 2), Uint8Array.of(0, 255))
  })

  it("when there are none, then there are no bytes", () => {
    assert.deepStrictEqual(bytesOfHex("\\x", 2), new Uint8Array())
  })
})
