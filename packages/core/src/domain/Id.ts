import { Schema } from "effect"

/** A whole number within bounds, published as `integer` with `minimum` and `maximum`. */
export const integer = (minimum: number, maximum: number, format?: "int64") => {
  const expected = `a whole number from ${minimum} to ${maximum}`
  return Schema.Number.annotate(format === undefined ? { expected } : { expected, format }).check(
    Schema.isInt({ message: `Expected ${expected}` }).abort(),
    Schema.isBetween({ minimum, maximum }, { message: `Expected ${expected}` })
  )
}

/** An identifier: int64, 1 to 2^53 - 1, assigned by the store and never reused. */
export const Id = integer(1, Number.MAX_SAFE_INTEGER, "int64")
