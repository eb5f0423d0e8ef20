import { assert, describe, it } from "@effect/vitest"
import { array, map, schema } from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { int } from "../../../testing/src/combine.ts"
import { isIdempotencyKey, parseIdempotencyKey } from "./IdempotencyKey.ts"

const visible = Array.from({ length: 0x7e - 0x20 }, (_, index) => String.fromCharCode(0x21 + index))

describe("an idempotency key in a header", () => {
  const taken: { readonly [header: string]: string } = {
    a: "a",
    "8e03978e-40d5-43e8-bc93-6894a57f9324": "8e03978e-40d5-43e8-bc93-6894a57f9324",
    '"8e03978e-40d5-43e8-bc93-6894a57f9324"': "8e03978e-40d5-43e8-bc93-6894a57f9324",
    '"a"': "a",
    '"a\\"b"': 'a"b',
    '"a\\\\b"': "a\\b",
    '"\\""': '"',
    'a"b': 'a"b',
    'a"': 'a"',
    "a\\b": "a\\b",
    "!#$%&'()*+,-./:;<=>?@[]^_`{|}~": "!#$%&'()*+,-./:;<=>?@[]^_`{|}~"
  }
  for (const [header, key] of Object.entries(taken)) {
    it(`given ${header}, then the key is ${key}`, () => assert.strictEqual(parseIdempotencyKey(header), key))
  }

  it("given the longest key, bare or quoted, with escapes or without, then it is taken", () => {
    assert.strictEqual(parseIdempotencyKey("k".repeat(255)), "k".repeat(255))
    assert.strictEqual(parseIdempotencyKey(`"${"k".repeat(255)}"`), "k".repeat(255))
    assert.strictEqual(parseIdempotencyKey(`"${'\\"'.repeat(255)}"`), '"'.repeat(255))
  })

  const refused: { readonly [reason: string]: string } = {
    "it is empty": "",
    "it is quoted and empty": '""',
    "it is one quote": '"',
    "its quote is not closed": '"a',
    "it goes on behind the quote": '"a"b',
    "it has parameters": '"a";p=1',
    "a backslash escapes an ordinary character": '"a\\b"',
    "a quote within is not escaped": '"a"b"',
    "the escape of its end leaves it open": '"a\\"',
    "it is one character too long": "k".repeat(256),
    "it is quoted and one character too long": `"${"k".repeat(256)}"`,
    "it has a blank within": "a b",
    "it has a blank within quotes": '"a b"',
    "it has a tab": "a\tb",
    "it ends with a line feed": "a\n",
    "it has a delete character": "a\u007f",
    "it has a letter that is not ASCII": "é",
    "it is an emoji": "🐶"
  }
  for (const [reason, header] of Object.entries(refused)) {
    it(`given that ${reason}, then it is rejected`, () => assert.isUndefined(parseIdempotencyKey(header)))
  }

  it.prop(
    "any key reads as itself when it is quoted",
    {
      key: map(array(map(schema(Schema.Literals(visible)), String), { minLength: 1, maxLength: 255 }), (all) =>
        all.join("")
      )
    },
    ({ key }) => {
      assert.isTrue(isIdempotencyKey(key))
      assert.strictEqual(parseIdempotencyKey(`"${key.replace(/["\\]/g, "\\$&")}"`), key)
      if (!key.startsWith('"')) assert.strictEqual(parseIdempotencyKey(key), key)
    }
  )

  it.prop("no key has a character that is not visible ASCII", { code: int(0, 0x2fff) }, ({ code }) => {
    const isVisible = code >= 0x21 && code <= 0x7e
    assert.strictEqual(isIdempotencyKey(`a${String.fromCharCode(code)}`), isVisible)
    assert.strictEqual(parseIdempotencyKey(`a${String.fromCharCode(code)}`) !== undefined, isVisible)
  })
})
