import { assert, describe, it } from "vitest"
import { binaryArray } from "./binaryArray.ts"

/** The type and the items of an array, as the protocol describes its binary format. */
const read = (array: Uint8Array) => {
  const bytes = Buffer.from(array)
  const items: Array<string | undefined> = []
  let at = 20
  for (let index = 0; index < bytes.readInt32BE(12); index++) {
    const length = bytes.readInt32BE(at)
    at += 4
    items.push(length === -1 ? undefined : bytes.toString("hex", at, at + length))
    at += Math.max(length, 0)
  }
  assert.strictEqual(at, bytes.length)
  return { dimensions: bytes.readInt32BE(0), type: bytes.readInt32BE(8), items }
}

const hex = (text: string): string => Buffer.from(text).toString("hex")

describe("given the values of a column", () => {
  it("when they are texts, then each is in UTF-8, and lone surrogates are replaced", () => {
    const texts = ["", "Rex", "Rexé", "é", "日本", "🐶", "\ud800", "long ".repeat(10)]
    assert.deepStrictEqual(read(binaryArray("text", [...texts, undefined, null])), {
      dimensions: 1,
      type: 25,
      items: [...texts.map(hex), undefined, undefined]
    })
  })

  it("when each character of a text needs the most bytes, then there is room for all", () => {
    assert.deepStrictEqual(read(binaryArray("text", ["日本語"])).items, [hex("日本語")])
  })

  it("when they are numbers, then each has 8 bytes, negative and large ones too", () => {
    const numbers = [0, 1, -1, 2 ** 32, -(2 ** 32) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
    const items = numbers.map((value) => BigInt.asUintN(64, BigInt(value)).toString(16).padStart(16, "0"))
    assert.deepStrictEqual(read(binaryArray("integer", numbers)), { dimensions: 1, type: 20, items })
  })

  it("when they are booleans or bytes, then they are as they are", () => {
    assert.deepStrictEqual(read(binaryArray("boolean", [true, false])).items, ["01", "00"])
    assert.deepStrictEqual(read(binaryArray("bytes", [Uint8Array.of(0, 255), new Uint8Array()])).items, ["00ff", ""])
  })

  it("when many arrays are made, then each keeps its values", () => {
    const texts = Array.from({ length: 4_000 }, (_, index) => `Text ${index} é`)
    const arrays = texts.map((text) => binaryArray("text", [text]))
    const large = binaryArray("text", ["é".repeat(2 ** 18)])
    assert.deepStrictEqual(
      arrays.map((array) => read(array).items[0]),
      texts.map(hex)
    )
    assert.strictEqual(read(large).items[0], hex("é".repeat(2 ** 18)))
  })
})
