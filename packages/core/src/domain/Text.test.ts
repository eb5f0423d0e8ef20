import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as fc from "fast-check"
import { categoryName, message } from "../../testing/src/arbitraries.ts"
import { readerAsIs } from "./asIs.ts"
import { beginning, line, nameKey, prose } from "./Text.ts"
import { validator } from "./validate.ts"
import { withoutInput } from "./violations.ts"

const readingOf =
  (schema: Parameters<typeof validator>[0]) =>
  (text: unknown): unknown =>
    Result.match(validator(schema)("/body", text), {
      onSuccess: (value) => value,
      onFailure: (violations) => violations.map(({ message }) => withoutInput(message))
    })

const tooLong = ["Expected at most 10 characters"]
const tooShort = ["Expected at least one character"]
const allBlank = ["Expected a character that can be seen"]
const notWhole = ["Expected no lone surrogates"]
const controls = ["Expected no control characters and none that change the direction of text"]
const controlsOfProse = ["Expected no control characters but tab, line feed and carriage return"]

const rows = (read: (text: unknown) => unknown, cases: { readonly [name: string]: readonly [unknown, unknown] }) => {
  for (const [name, [text, expected]] of Object.entries(cases)) {
    it(`given ${name}, then ${Array.isArray(expected) ? `it is rejected: ${expected.join(", ")}` : "it is taken"}`, () => {
      assert.deepStrictEqual(read(text), expected)
    })
  }
}

describe("a line of up to 10 characters", () => {
  rows(readingOf(line(10)), {
    "one character": ["a", "a"],
    "ten characters": ["abcdefghij", "abcdefghij"],
    "eleven characters": ["abcdefghijk", tooLong],
    "no character": ["", tooShort],
    "ten emoji, each two code units": ["🐶".repeat(10), "🐶".repeat(10)],
    "eleven emoji": ["🐶".repeat(11), tooLong],
    "one emoji of three code points": ["👩\u200d🚀", "👩\u200d🚀"],
    "ten letters with combining accents, which are twenty code points as sent": ["e\u0301".repeat(10), tooLong],
    "five letters with combining accents": ["e\u0301".repeat(5), "é".repeat(5)],
    "a Korean syllable in three parts": ["\u1100\u1175\u11b7", "김"],
    "a letter that is composed already": ["é", "é"],
    "one character and nine blanks around it": ["     a    ", "a"],
    "one character and ten blanks around it": ["     a     ", tooLong],
    "blanks within": ["a  b", "a  b"],
    "blanks of other scripts around": ["\u3000a\u00a0\ufeff", "a"],
    "only blanks": ["   ", allBlank],
    "only blanks of other scripts": ["\u3000\u2003\u00a0\ufeff\u2028", allBlank],
    "only a zero-width space": ["\u200b", allBlank],
    "only characters that are drawn as nothing": ["\u200c\u2060\u00ad\u3164\ufe0f\u2800\u180e", allBlank],
    "blanks and zero-width characters alone": [" \u200b \u200d", allBlank],
    "only a variation selector of the last planes": ["\u{e0100}", allBlank],
    "only tags, which spell a word that nobody sees": ["\u{e0001}\u{e0068}\u{e0069}", allBlank],
    "blanks, zero-width characters and marks of musical notation alone": [" \u200b\u{1d173}\u{1bca0}", allBlank],
    "a flag that ends with tags": ["🏴\u{e0067}\u{e0062}\u{e007f}", "🏴\u{e0067}\u{e0062}\u{e007f}"],
    "a joiner that a word of Persian needs": ["می\u200cخواهم", "می\u200cخواهم"],
    "a mark of direction, which changes nothing but its surroundings": ["\u200fשלום", "\u200fשלום"],
    Arabic: ["قطة", "قطة"],
    "an override of the direction": ["a\u202efdp.exe", controls],
    "an embedding of a direction": ["\u202ba\u202c", controls],
    "an isolate": ["\u2067a\u2069", controls],
    "a null character": ["a\u0000b", controls],
    "a line feed": ["a\nb", controls],
    "a tab": ["\ta", controls],
    "a delete character": ["a\u007f", controls],
    "a control character of the second block": ["a\u0085b", controls],
    "the character before the control characters of the second block": ["~", "~"],
    "the character behind them": ["a\u00a0b", "a\u00a0b"],
    "only a control character": ["\n", controls],
    "a lone high surrogate": ["a\ud83d", notWhole],
    "a lone low surrogate": ["\udc36a", notWhole],
    "surrogates in the wrong order": ["\udc36\ud83d", notWhole],
    "the last code point": ["\u{10ffff}", "\u{10ffff}"],
    "two things wrong at once": ["\ud800\u0000", [...notWhole, ...controls]],
    "too much text, then only its length is looked at": ["\ud800".repeat(11), tooLong],
    "a number": [7, ["Expected a string"]],
    null: [null, ["Expected a string"]],
    "a String object": [Object("a"), ["Expected a string"]]
  })
})

describe("the beginning of a line of up to 10 characters", () => {
  rows(readingOf(beginning(10)), {
    "one letter": ["R", "R"],
    "a letter and a blank": ["R ", "R "],
    "a blank": [" ", " "],
    "a decomposed letter": ["e\u0301", "é"],
    "ten emoji": ["🐶".repeat(10), "🐶".repeat(10)],
    "eleven characters": ["abcdefghijk", tooLong],
    "no character": ["", tooShort],
    "a null character": ["R\u0000", controls],
    "an override of the direction": ["\u202e", controls],
    "a zero-width character, which more may follow": ["\u200b", "\u200b"],
    "a lone surrogate": ["\ud800", notWhole]
  })
})

describe("prose of up to 10 characters", () => {
  rows(readingOf(prose(1, 10)), {
    "several lines": ["a\r\n\tb\nc", "a\r\n\tb\nc"],
    "line feeds around": ["\na\n", "a"],
    "ten characters": ["🐶".repeat(10), "🐶".repeat(10)],
    "eleven characters": ["🐶".repeat(11), tooLong],
    "no character": ["", tooShort],
    "only blanks and line feeds": [" \n\t\r\u3000", allBlank],
    "only zero-width characters and line feeds": ["\u200b\n\u2060", allBlank],
    "only tags and line feeds": ["\u{e0041}\n", allBlank],
    "text in two directions": ["a \u2067ב\u2069", "a \u2067ב\u2069"],
    "a null character": ["\u0000", controlsOfProse],
    "a vertical tab": ["a\u000bb", controlsOfProse],
    "a form feed": ["a\u000cb", controlsOfProse],
    "an escape character": ["\u001b[2J", controlsOfProse],
    "a control character of the second block": ["a\u009fb", controlsOfProse],
    "a lone surrogate": ["\ud800", notWhole],
    "decomposed letters": ["e\u0301", "é"],
    "a control character at the end of much text": [`${"a ".repeat(8_191)}\u0000`, ["Expected at most 10 characters"]]
  })
})

describe("prose that may be empty", () => {
  rows(readingOf(prose(0, 10)), {
    "no character": ["", ""],
    "only blanks": [" \n ", ""],
    "ten characters": ["abcdefghij", "abcdefghij"],
    "eleven characters": ["abcdefghijk", tooLong],
    "a null character": ["\u0000", controlsOfProse]
  })
})

describe("what is kept of text", () => {
  it.prop("reads as itself again", { text: categoryName }, ({ text }) => {
    const read = readingOf(line(1_000))
    const kept = read(text)
    assert.isString(kept)
    assert.strictEqual(read(kept), kept)
  })

  it.prop("is the same for every spelling of one text", { text: message }, ({ text }) => {
    const read = readingOf(prose(1, 100_000))
    assert.strictEqual(read(text.normalize("NFD")), read(text))
    assert.strictEqual(read(` ${text}\n`), read(text))
  })
})

describe("combining marks in a row", () => {
  const marks = (count: number): string => `a${"\u0301\u0316".repeat(count / 2)}`
  const tooMany = ["Expected at most 30 combining marks in a row"]

  for (const [name, schema] of [
    ["a line", line(200)],
    ["the beginning of a line", beginning(200)],
    ["prose", prose(1, 200)],
    ["prose that may be empty", prose(0, 200)]
  ] as const) {
    rows(readingOf(schema), {
      [`thirty in ${name}`]: [marks(30), marks(30).normalize("NFC")],
      [`thirty twice in ${name}`]: [marks(30).repeat(2), marks(30).repeat(2).normalize("NFC")],
      [`more in ${name}`]: [marks(32), tooMany]
    })
  }
})

describe("the key of a name", () => {
  const alike: ReadonlyArray<ReadonlyArray<string>> = [
    ["Dogs", "DOGS", "dogs", " Dogs ", "\u3000dogs"],
    ["Straße", "STRASSE", "strasse", "STRAẞE"],
    ["Chatons élevés", "CHATONS E\u0301LEVE\u0301S"],
    ["ΣΊΣΥΦΟΣ", "Σίσυφος", "σίσυφοσ"],
    ["Ω", "\u2126", "ω"],
    ["İ", "i\u0307"],
    ["Kız", "KIZ", "kiz"],
    ["ﬁsh", "FISH"]
  ]
  for (const names of alike) {
    it(`is one for ${names.join(", ")}`, () => {
      assert.strictEqual(new Set(names.map(nameKey)).size, 1)
    })
  }

  it("is not one for names that only look alike", () => {
    const names = ["Dogs", "Dog s", "D0gs", "Dоgs", "Dögs", "dogs\u200b"]
    assert.strictEqual(new Set(names.map(nameKey)).size, names.length)
  })

  it("does not depend on case or composition, for each letter there is", () => {
    for (let code = 0; code <= 0x10ffff; code++) {
      const letter = String.fromCodePoint(code)
      if (/[\p{Unassigned}\p{Private_Use}\p{Surrogate}]/u.test(letter)) continue
      const name = `a${letter}b`
      const key = nameKey(name)
      for (const other of [name.toUpperCase(), name.toLowerCase(), name.normalize("NFD"), key]) {
        if (nameKey(other) !== key) assert.fail(`U+${code.toString(16)}: ${nameKey(other)} is not ${key}`)
      }
    }
  })
})

for (const { inside, kind, others, text: schemaOf } of [
  { kind: "line", text: line, inside: "Mr. B  2", others: { "a tab inside": "a\tb" } },
  {
    kind: "prose",
    text: (max: number) => prose(1, max),
    inside: "a\n\tb\rc  2",
    others: { "a form feed inside": "a\fb" }
  }
]) {
  describe(`plain ${kind}`, () => {
    const schema = Schema.Struct({ name: schemaOf(10) })
    const keep = readerAsIs(schema)
    const decode = SchemaParser.decodeUnknownResult(schema)
    const odd = fc.constantFrom(" ", "\t", "\n", "\u0000", "\u007f", "\u00a0", "é", "e\u0301", "\u2028", "🐶", "\ud83d")

    it("given any text, then what is kept without the schema, the schema accepts and keeps", () => {
      let kept = 0
      const text = fc.string({ maxLength: 12, unit: fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), odd) })
      fc.assert(
        fc.property(text, (name) => {
          if (keep?.({ name }) === undefined) return
          kept++
          assert.deepStrictEqual(decode({ name }), Result.succeed({ name }))
        }),
        { numRuns: 500 }
      )
      assert.isAbove(kept, 20)
    })

    for (const [name, text] of Object.entries({
      "no character": "",
      "eleven characters": "abcdefghijk",
      "a blank before it": " a",
      "a blank behind it": "a ",
      "a line feed behind it": "a\n",
      "a delete character": "a\u007f",
      "a letter that is not ASCII": "é",
      "a number": 5,
      ...others
    })) {
      it(`given ${name}, then the schema must read it`, () => {
        assert.isUndefined(keep?.({ name: text }))
      })
    }

    it("given one character or blanks inside, then it is kept", () => {
      assert.deepStrictEqual(keep?.({ name: "a" }), { name: "a" })
      assert.deepStrictEqual(keep?.({ name: inside }), { name: inside })
    })
  })
}
