import { Schema } from "effect"

/** A whole number within bounds, published as `integer` with `minimum` and `maximum`. */
export const integer = (minimum: number, maximum: number, format?: "int64") =>
  Schema.Number.annotate(format === undefined ? {} : { format }).check(
    Schema.isInt({ message: "Expected a whole number" }),
    Schema.isBetween({ minimum, maximum }, { message: `Expected a whole number from ${minimum} to ${maximum}` })
  )

/** An identifier: int64, 1 to 2^53 - 1, assigned by the store and never reused. */
export const Id = integer(1, Number.MAX_SAFE_INTEGER, "int64")
