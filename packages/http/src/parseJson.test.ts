import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { parseJson } from "./parseJson.ts"

const isWhole = (text: string) => Number.isSafeInteger(parseJson(text))

describe("a whole number in JSON", () => {
  const whole = ["0", "-0", "7", "1.0", "10.00", "1e3", "1.5e1", "120e-1", "0e-999999999", "0.0", "9007199254740991"]
  for (const text of [...whole, "9007199254740991.000", "900719925474099100e-2", `1${"0".repeat(400)}e-400`]) {
    it(`given ${text.slice(0, 30)}, then it is the whole number that it says`, () => {
      assert.isTrue(isWhole(text))
      assert.strictEqual(parseJson(text), JSON.parse(text))
    })
  }

  const fractions = ["1.0000000000000000001", "0.99999999999999999999", "1e-400", "-1e-400", "0.5", "15e-1", "1e-1"]
  const large = [
    "9007199254740990.5",
    "9007199254740991.4",
    "1e400",
    "-1e400",
    "9007199254740993",
    "1e-999999999999999999999"
  ]
  for (const text of [...fractions, ...large, `0.${"0".repeat(5_000)}1`]) {
    it(`given ${text.slice(0, 30)}, then it is not taken for a safe whole number`, () => {
      assert.isFalse(isWhole(text))
    })
  }
})

describe("JSON text", () => {
  it("given any value, when it is written and parsed, then it is what JSON.parse makes of it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, "\t"), (value, space) => {
        const text = JSON.stringify(value, undefined, space)
        assert.deepStrictEqual(parseJson(text), JSON.parse(text))
      }),
      { numRuns: 200 }
    )
  })

  it("given strings that look like fractions, when a number beside them is rounded, then they stay as they are", () => {
    const strings = [
      '"1.0000000000000000001"',
      '"\\"1.0000000000000000001"',
      '"\\\\"',
      '"\\u0022 2.5"',
      '""',
      '"1e-400"'
    ]
    for (const text of strings) {
      assert.deepStrictEqual(parseJson(`{${text}: [${text}, 1.0000000000000000001, ${text}]}`), {
        [JSON.parse(text)]: [JSON.parse(text), 1.0000000000000002, JSON.parse(text)]
      })
    }
  })

  it("given a fraction that is rounded, then it is one beside it, which messages show", () => {
    for (const text of ["0.99999999999999999999", "1000000.00000000000001", "-3.00000000000000000001", "1e-400"]) {
      const read = Number(parseJson(text))
      assert.isFalse(Number.isInteger(read))
      assert.closeTo(read, Number(text), 1e-9)
    }
  })

  it("given the name __proto__, when a number beside it is rounded, then it is a field like any other", () => {
    const value = parseJson('{"__proto__": 1.0000000000000000001}') as object
    assert.deepStrictEqual(Object.keys(value), ["__proto__"])
    assert.strictEqual(Object.getPrototypeOf(value), Object.prototype)
  })

  it("given a body of any form, when it is parsed, then the time does not grow with the square of its size", () => {
    const forms: ReadonlyArray<(size: number) => string> = [
      (size) => `0.${"0".repeat(size)}1`,
      (size) => `${"1".repeat(size)}e-${size}`,
      (size) => `"${"\\\\".repeat(size / 2)}1.5"`,
      (size) => `["${"1.5".repeat(size / 3)}", 1.5]`,
      (size) => `[${"1.5,".repeat(size / 4)}1.0000000000000000001]`,
      (size) => `[${'"1.5",'.repeat(size / 6)}1.0000000000000000001]`
    ]
    // Linear time is less than a second for each; at one nanosecond a pair of characters, the square takes more than ten minutes.
    for (const form of forms) {
      const text = form(1_048_576)
      const started = performance.now()
      parseJson(text)
      assert.isBelow(performance.now() - started, 60_000, form(20))
    }
  })

  for (const text of ["", "{", "01", "1.", ".5", "NaN", "1.0000000000000000001x", '"', "\ufeff{}"]) {
    it(`given ${JSON.stringify(text)}, which is no JSON, then it throws a SyntaxError with the place`, () => {
      assert.throws(() => parseJson(text), SyntaxError, /^line 1, column \d+: expected /)
    })
  }
})
