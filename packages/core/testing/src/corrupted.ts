import { type Arbitrary, all, Constant, map, schema } from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { int, oneOf } from "./combine.ts"

/**
 * Text that is not valid as a name.
 *
 * @example
 * ```ts
 * import { invalidText } from "@petstore/testing"
 * import { NewPet, validator } from "@petstore/core/domain"
 * import { Effect, Result } from "effect"
 * import { checkEffect } from "effect/Arbitrary"
 *
 * const rejects = (name: string) => Result.isFailure(validator(NewPet)("/body", { name, categoryId: 1 }))
 * const { _tag } = await Effect.runPromise(checkEffect(invalidText, rejects))
 * _tag // => "Passed"
 * ```
 */
export const invalidText: Arbitrary<string> = schema(
  Schema.Literals([
    "",
    " ",
    "\u3000\ufeff",
    "a\u0000b",
    "a\nb\u001b[2J",
    "\u0085",
    "\ud800",
    "a\udc00b",
    "x".repeat(20_000)
  ])
)

const ownProto: unknown = JSON.parse('{"__proto__": {"admin": true}}')

/**
 * Values of the wrong type or range for any field.
 *
 * @example
 * ```ts
 * import { PetstoreError } from "@petstore/core"
 * import { junk, testPetstore } from "@petstore/testing"
 * import { Effect } from "effect"
 * import { checkEffect } from "effect/Arbitrary"
 *
 * await using petstore = await testPetstore()
 * const rejects = (name: unknown) =>
 *   Effect.promise(async () => {
 *     const error = await petstore.pets.create({ name: name as string, categoryId: 1 }).catch((caught) => caught)
 *     return error instanceof PetstoreError
 *   })
 * const { _tag } = await Effect.runPromise(checkEffect(junk, rejects))
 * _tag // => "Passed"
 * ```
 */
export const junk: Arbitrary<unknown> = oneOf<unknown>(
  invalidText,
  schema(Schema.Literals(["1", "true", "null", "NaN", "-1", "1e3", "2026-02-30T00:00:00Z", "toString"])),
  schema(Schema.Literals([0, -1, 1.5, 2 ** 53, -(2 ** 53), 1e300])),
  ...[null, Number.NaN, Number.POSITIVE_INFINITY, -0, [], [null], {}, ownProto, [[[[[]]]]]].map((value) =>
    Constant(value)
  )
)

const corruptedField: Arbitrary<string> = schema(
  Schema.Literals(["__proto__", "constructor", "toString", "", "a/b~c", "x".repeat(1_000), "\ud800", "unknown"])
)

/**
 * Input with something wrong: `valid` with junk in a field, a missing or an unknown field, or a value of another type. A few
 * of them are valid by chance.
 *
 * @example
 * ```ts
 * import { NewPet, validator } from "@petstore/core/domain"
 * import { arbitraries, corrupted } from "@petstore/testing"
 * import { Effect } from "effect"
 * import { checkEffect } from "effect/Arbitrary"
 *
 * // It never throws.
 * const returns = (input: unknown) => validator(NewPet)("/body", input) !== undefined
 * const { _tag } = await Effect.runPromise(checkEffect(corrupted(arbitraries.newPet), returns))
 * _tag // => "Passed"
 * ```
 */
export const corrupted = (valid: Arbitrary<object>): Arbitrary<unknown> =>
  oneOf<unknown>(
    junk,
    map(all([valid, corruptedField, junk]), ([input, name, value]) =>
      Object.fromEntries([...Object.entries(input), [name, value]])
    ),
    map(all([valid, int(0, 9), junk]), ([input, place, value]) =>
      Object.fromEntries(
        Object.entries(input).map(([name, old], index, { length }) => [name, index === place % length ? value : old])
      )
    ),
    map(all([valid, int(0, 9)]), ([input, place]) =>
      Object.fromEntries(Object.entries(input).filter((_, index, { length }) => index !== place % length))
    )
  )
