import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { readerAsIs } from "./asIs.ts"
import type { Violation } from "./errors/PetstoreError.ts"
import { type Collect, collectorOf, excessFinder, foreignFinder, unknownFieldsIn } from "./violations.ts"

/**
 * The part of a call that an input comes from; every path in its violations begins with it. `/path` is the URL of a request;
 * an argument of a method, such as `petId`, has no place but its name.
 */
export type Place = "/body" | "/query" | "/path" | ""

/** The decoded value of an input, or all of its violations. */
export type Validated<A> = Result.Result<A, ReadonlyArray<Violation>>

/** The input as JSON would carry it: a field that is undefined is absent. */
const withoutUndefined = (input: unknown): unknown =>
  typeof input === "object" && input !== null && !Array.isArray(input) && Object.values(input).includes(undefined)
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
    : input

/**
 * Builds the strict reader of one schema; build it once. It reports all violations together (at most 100), unknown
 * fields among them, with JSON pointers as paths.
 *
 * @example
 * ```ts
 * import { NewPet, validator } from "@petstore/core/domain"
 *
 * const newPet = validator(NewPet)
 * newPet("/body", { name: "Rex", categoryId: "1" })
 * // => failure [{ path: "/body/categoryId", message: "Expected a whole number from 1 to 9007199254740991" }]
 * ```
 */
export const validator = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S
): ((place: Place, input: unknown) => Validated<S["Type"]>) => {
  const readAsIs = readerAsIs(schema)
  const unknownIn = unknownFieldsIn(schema.ast)
  const excessIn = excessFinder(schema.ast)
  const decode = SchemaParser.decodeUnknownResult(schema, { onExcessProperty: "error" })
  const foreignIn = foreignFinder(schema.ast)
  let collect: Collect | undefined
  return (place, input) => {
    try {
      const kept = readAsIs?.(input)
      if (kept !== undefined) return Result.succeed(kept as S["Type"])
      const unknown = unknownIn(place, input)
      if (unknown !== undefined) return Result.fail(unknown)
      const foreign = foreignIn?.(place, input)
      if (foreign !== undefined) return Result.fail([foreign])
      const excess = excessIn?.(place, input)
      if (excess !== undefined) return Result.fail([excess])
      const decoded = decode(input)
      if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
      const sent = withoutUndefined(input)
      const again = sent === input ? decoded : decode(sent)
      if (Result.isSuccess(again)) return Result.succeed(again.success)
      const violations: Array<Violation> = []
      collect ??= collectorOf(schema.ast)
      collect(place, sent, violations)
      return Result.fail(violations)
    } catch {
      // Reading a field of it threw: a getter, or a Proxy.
      return Result.fail([{ path: place, message: "Expected plain data" }])
    }
  }
}
