import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { sha256 } from "./sha256.ts"

const expected = (text: string): string => createHash("sha256").update(text).digest("hex")

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

describe("given a text", () => {
  it("when it is empty or one of the published examples, then the digest is the published one", () => {
    assert.strictEqual(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    assert.strictEqual(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    assert.strictEqual(
      hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    )
  })

  it("when it has any length about the ends of its blocks, then the digest is that of node:crypto", () => {
    for (let length = 0; length <= 260; length++) {
      const text = "x".repeat(length)
      assert.strictEqual(hex(sha256(text)), expected(text), `${length} characters`)
    }
    const long = "0123456789".repeat(100_000)
    assert.strictEqual(hex(sha256(long)), expected(long))
  })

  it.prop(
    "when it is of any script, then the digest is that of node:crypto",
    { text: Schema.String },
    ({ text }) => {
      const sent = `${text} é 犬 🐶`
      assert.strictEqual(hex(sha256(sent)), expected(sent))
    },
    { arbitrary: { runs: 500 } }
  )
})
