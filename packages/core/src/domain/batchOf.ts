import * as Schema from "effect/Schema"
import { limits } from "./limits.ts"

/** The elements of one call for many: 1 to 1,000. */
export const batchOf = <S extends Schema.Top>(element: S) =>
  Schema.Array(element).check(
    Schema.isMinLength(1, { message: "Expected at least one element" }),
    Schema.isMaxLength(limits.batch, { message: `Expected at most ${limits.batch} elements` })
  )
