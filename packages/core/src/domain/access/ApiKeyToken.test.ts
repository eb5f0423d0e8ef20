import { assert, describe, it } from "@effect/vitest"
import { Constant } from "effect/Arbitrary"
import { apiKeyToken, id, secretBytes } from "../../../testing/src/arbitraries.ts"
import { int, oneOf } from "../../../testing/src/combine.ts"
import { crc32, equalDigests, formatToken, parseToken, secretFromBytes } from "./ApiKeyToken.ts"

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const secret = secretFromBytes(new Uint8Array(32).fill(7))
const token = formatToken(12, secret)

/** The text with the character at this place replaced. */
const withCharacter = (text: string, place: number, character: string): string =>
  text.slice(0, place) + character + text.slice(place + 1)

describe("the text of an API key", () => {
  it("names its id, and holds 43 digits of secret and 6 of checksum", () => {
    assert.match(token, /^psk_12_[0-9A-Za-z]{49}$/)
    assert.deepStrictEqual(parseToken(token), { id: 12, secret })
  })

  it.prop("reads as the id and the secret it was made of", { keyId: id, bytes: secretBytes }, ({ bytes, keyId }) => {
    const text = formatToken(keyId, secretFromBytes(bytes))
    assert.deepStrictEqual(parseToken(text), { id: keyId, secret: secretFromBytes(bytes) })
  })

  it("keeps every bit of the secret", () => {
    const secrets = new Set<string>()
    for (let bit = 0; bit < 256; bit++) {
      const bytes = new Uint8Array(32)
      bytes[bit >> 3] = 1 << (bit & 7)
      secrets.add(secretFromBytes(bytes))
    }
    assert.strictEqual(secrets.size, 256)
    assert.strictEqual(secretFromBytes(new Uint8Array(32)), "0".repeat(43))
    assert.match(secretFromBytes(new Uint8Array(32).fill(255)), /^[0-9A-Za-z]{43}$/)
  })

  it("is rejected with any one character changed to any other", () => {
    for (let place = 0; place < token.length; place++) {
      for (const character of `${digits}_- \n\u0000é`) {
        const changed = withCharacter(token, place, character)
        if (changed !== token) assert.isUndefined(parseToken(changed), changed)
      }
    }
  })

  it.prop(
    "is rejected with one character changed, whatever the key",
    { text: apiKeyToken, place: int(0, 80), digit: int(0, 61) },
    ({ digit, place, text }) => {
      const changed = withCharacter(text, place % text.length, digits[digit] ?? "")
      assert.strictEqual(parseToken(changed) === undefined, changed !== text)
    },
    { arbitrary: { runs: 200 } }
  )

  it.prop(
    "is rejected with two neighbours swapped",
    { text: apiKeyToken, place: int(0, 80) },
    ({ place, text }) => {
      const at = place % (text.length - 1)
      const swapped = text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2)
      assert.strictEqual(parseToken(swapped) === undefined, swapped !== text)
    },
    { arbitrary: { runs: 200 } }
  )

  const refused: { readonly [reason: string]: string } = {
    "it is empty": "",
    "a character is missing": token.slice(0, -1),
    "a character is too many": `${token}0`,
    "a blank is before it": ` ${token}`,
    "a line feed is behind it": `${token}\n`,
    "its prefix is upper case": token.replace("psk_", "PSK_"),
    "it is of another kind": token.replace("psk_", "whsec_"),
    "its id is 0": formatToken(0, secret),
    "its id starts with 0": token.replace("psk_12_", "psk_012_"),
    "its id is not an identifier": formatToken(2 ** 53, secret),
    "its id has 17 digits": token.replace("psk_12_", "psk_12345678901234567_"),
    "its id is negative": formatToken(-1, secret),
    "its id has another checksum": token.replace("psk_12_", "psk_13_"),
    "its secret is short": formatToken(12, secret.slice(1)),
    "it is very long": token.repeat(1_000)
  }
  for (const [reason, text] of Object.entries(refused)) {
    it(`is rejected where ${reason}`, () => assert.isUndefined(parseToken(text)))
  }
})

describe("the checksum", () => {
  it("is CRC-32 of ISO 3309", () => {
    assert.strictEqual(crc32("123456789"), 0xcbf43926)
    assert.strictEqual(crc32(""), 0)
    assert.strictEqual(crc32("The quick brown fox jumps over the lazy dog"), 0x414fa339)
  })
})

describe("the comparison of digests", () => {
  it.prop(
    "is true exactly for the same bytes",
    { bytes: secretBytes, place: int(0, 31), change: oneOf(Constant(0), int(0, 255)) },
    ({ bytes, change, place }) => {
      const other = Uint8Array.from(bytes)
      other[place] = (other[place] ?? 0) ^ change
      assert.strictEqual(equalDigests(bytes, other), change === 0)
    }
  )

  it("is false for another length", () => {
    assert.isFalse(equalDigests(new Uint8Array(32), new Uint8Array(31)))
    assert.isFalse(equalDigests(new Uint8Array(0), new Uint8Array(1)))
  })
})
