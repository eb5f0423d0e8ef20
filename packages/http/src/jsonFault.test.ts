import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { describeFault, jsonFault } from "./jsonFault.ts"

const faults: Readonly<Record<string, string>> = {
  "": "line 1, column 1: expected a value, not the end",
  " \n": "line 2, column 1: expected a value, not the end",
  "{": "line 1, column 2: expected a name in double quotes or }, not the end",
  '{"name":': "line 1, column 9: expected a value, not the end",
  '{"name": "Rex",}': "line 1, column 16: expected a name in double quotes, not }",
  '{\n  "name": "Rex",\r\n  "categoryId": NaN\n}': "line 3, column 17: expected a value, not N",
  '{\r"name" "Rex"}': 'line 2, column 8: expected a colon, not "',
  "{name: 1}": "line 1, column 2: expected a name in double quotes or }, not n",
  "{'name': 1}": "line 1, column 2: expected a name in double quotes or }, not '",
  "{\"name\": 'Rex'}": "line 1, column 10: expected a value, not '",
  '{"a": 1 "b": 2}': 'line 1, column 9: expected a comma or }, not "',
  "[1, 2": "line 1, column 6: expected a comma or ], not the end",
  "[1, 2,]": "line 1, column 7: expected a value, not ]",
  "[,1]": "line 1, column 2: expected a value or ], not ,",
  "[1}": "line 1, column 3: expected a comma or ], not }",
  '{"a": 1} // a comment': "line 1, column 10: expected nothing more, not /",
  "{} {}": "line 1, column 4: expected nothing more, not {",
  '"Rex': "line 1, column 5: expected the quote that ends a string, not the end",
  '["Rex\nTom"]': "line 1, column 6: expected the quote that ends a string, not the end of the line",
  '["a\tb"]': "line 1, column 4: expected the quote that ends a string, not U+0009",
  '["C:\\pets"]': "line 1, column 5: expected an escape such as \\n, not \\",
  '["\\u12"]': "line 1, column 3: expected an escape such as \\n, not \\",
  "[01]": "line 1, column 3: expected a comma or ], not 1",
  "[1.]": "line 1, column 3: expected a comma or ], not .",
  "[.5]": "line 1, column 2: expected a value or ], not .",
  "[+1]": "line 1, column 2: expected a value or ], not +",
  "[True]": "line 1, column 2: expected a value or ], not T",
  "\ufeff{}": "line 1, column 1: expected a value, not U+FEFF",
  "{\u00a0}": "line 1, column 2: expected a name in double quotes or }, not U+00A0",
  "[😀]": "line 1, column 2: expected a value or ], not 😀"
}

const messageOf = (text: string, isStream?: boolean): string | undefined => {
  const fault = jsonFault(text, isStream)
  return fault === undefined ? undefined : describeFault(fault)
}

describe("where a text stops being JSON", () => {
  for (const [text, message] of Object.entries(faults)) {
    it(`given ${JSON.stringify(text)}, then its line, its column, and what is expected there are named`, () => {
      assert.strictEqual(messageOf(text), message)
    })
  }

  it("given values behind each other, then they are a stream, which ends with a value", () => {
    assert.isUndefined(jsonFault('{"a": 1}\n[2] 3', true))
    assert.strictEqual(messageOf("[1]\n[2", true), "line 2, column 3: expected a comma or ], not the end")
    assert.strictEqual(messageOf("[1] ]", true), "line 1, column 5: expected a value, not ]")
  })

  it("given any text, then it has a fault exactly if JSON.parse rejects it", () => {
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"',
      "\\",
      "\\n",
      "1",
      "-",
      ".",
      "0",
      "e",
      "true",
      "nul",
      " ",
      "\n"
    ]
    const random = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(""))
    const cut = fc.tuple(fc.jsonValue(), fc.nat(), fc.constantFrom(...pieces)).map(([value, place, piece]) => {
      const text = JSON.stringify(value, undefined, 1)
      const at = place % (text.length + 1)
      return text.slice(0, at) + piece + text.slice(at + 1)
    })
    fc.assert(
      fc.property(fc.oneof(random, cut), (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        assert.strictEqual(jsonFault(text) === undefined, isJson)
      }),
      { numRuns: 2_000 }
    )
  })

  it("given a text that is deep and long, then it is read to its end", () => {
    const depth = 1_000_000
    assert.strictEqual(jsonFault("[".repeat(depth))?.offset, depth)
    assert.strictEqual(jsonFault(`"${"\\n".repeat(depth)}`)?.offset, 2 * depth + 1)
  })
})
