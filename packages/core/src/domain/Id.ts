import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { asIs } from "./asIs.ts"

const withoutNegativeZero = SchemaTransformation.transform<number, number>({
  decode: (value) => value + 0,
  encode: (value) => value
})

/** A whole number within bounds, published as `integer` with `minimum` and `maximum`. JSON has `-0` too: it is read as 0. */
export const integer = (minimum: number, maximum: number, format?: "int64"): Schema.Codec<number, number> => {
  const expected = `a whole number from ${minimum} to ${maximum}`
  const message = `Expected ${expected}`
  const from = (least: number) =>
    Schema.Number.annotate(format === undefined ? { expected } : { expected, format }).check(
      Schema.isInt({ message }).abort(),
      Schema.isBetween({ minimum: least, maximum }, { message, toJsonSchema: () => ({ minimum, maximum }) })
    )
  // Effect puts -0 below 0.
  const schema: Schema.Codec<number, number> =
    minimum === 0 ? from(-0).pipe(Schema.decodeTo(from(0), withoutNegativeZero)) : from(minimum)
  return asIs(
    schema,
    (value) =>
      Number.isSafeInteger(value) && minimum <= Number(value) && Number(value) <= maximum && !Object.is(value, -0)
  )
}

/** An identifier: int64, 1 to 2^53 - 1, assigned by the store and never reused. */
export const Id = integer(1, Number.MAX_SAFE_INTEGER, "int64")

/** The whole number in its decimal digits, from 0 to 2^53 - 1; undefined for any other text, such as `1e3`, ` 1` or `01`. */
export const parseWhole = (text: string): number | undefined => {
  const value = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : undefined
}

/** Whether a value is a valid {@link Id}. Faster than its schema, which also says what is wrong. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1
