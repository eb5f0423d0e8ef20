import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Id, integer, isId } from "./Id.ts"
import { shown } from "./shown.ts"
import { validator } from "./validate.ts"

const table = (
  schema: Parameters<typeof validator>[0],
  taken: ReadonlyArray<unknown>,
  refused: ReadonlyArray<unknown>,
  message: string
) => {
  const validate = validator(schema)
  if (schema === Id) {
    it("given any of these values, then isId agrees", () => {
      for (const value of taken) assert.isTrue(isId(value), String(value))
      for (const value of [...refused, undefined, Object(1)]) assert.isFalse(isId(value), String(value))
    })
  }
  for (const value of taken) {
    it(`given ${value}, then it is taken`, () => {
      assert.deepStrictEqual(validate("/path", value), Result.succeed(value))
    })
  }
  for (const value of refused) {
    it(`given ${typeof value} ${String(value)}, then it is rejected with one message`, () => {
      assert.deepStrictEqual(
        validate("/path", value),
        Result.fail([{ path: "/path", message: `${message}, not ${shown(value)}` }])
      )
    })
  }
}

describe("an identifier", () => {
  table(
    Id,
    [1, 2, 2 ** 31, 2 ** 53 - 1],
    [
      0,
      -0,
      -1,
      1.5,
      0.1 + 0.9 + Number.EPSILON,
      2 ** 53,
      1.74e30,
      JSON.parse("1e400"),
      Number.NaN,
      -Infinity,
      "1",
      "abc",
      "NaN",
      1n,
      true,
      null,
      [1],
      {}
    ],
    "Expected a whole number from 1 to 9007199254740991"
  )
})

describe("a whole number from -2 to 5", () => {
  table(integer(-2, 5), [-2, 0, 5], [-3, 6, 0.5, "0"], "Expected a whole number from -2 to 5")
})

describe("a whole number that may be 0", () => {
  it("given -0, which JSON has, then it is 0", () => {
    const validated = validator(integer(0, 5))("/body", JSON.parse("-0"))
    assert.isTrue(Result.isSuccess(validated) && Object.is(validated.success, 0))
  })
})
