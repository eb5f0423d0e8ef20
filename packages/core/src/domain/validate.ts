import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { readerAsIs } from "./asIs.ts"
import type { Violation } from "./errors/PetstoreError.ts"
import { limits } from "./limits.ts"

/**
 * The part of a call that an input comes from; every path in its violations begins with it. `/path` is the URL of a request;
 * an argument of a method, such as `petId`, has no place but its name.
 */
export type Place = "/body" | "/query" | "/path" | ""

/** The decoded value of an input, or all of its violations. */
export type Validated<A> = Result.Result<A, ReadonlyArray<Violation>>

const alternatives = (nouns: ReadonlyArray<string>): string =>
  nouns.length < 2 ? nouns.join("") : `${nouns.slice(0, -1).join(", ")} or ${nouns.at(-1)}`

/** What a schema accepts, in words. */
export const noun = (ast: SchemaAST.AST): string => {
  const expected = ast.annotations?.expected
  if (typeof expected === "string") return expected
  switch (ast._tag) {
    case "String":
      return "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Null":
      return "null"
    case "Literal":
      return typeof ast.literal === "string" ? JSON.stringify(ast.literal) : String(ast.literal)
    case "Arrays":
      return "an array"
    case "Objects":
      return "an object"
    case "Union":
      return alternatives(ast.types.map(noun))
    default:
      return "a valid value"
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** One step of a JSON pointer (RFC 6901); cut short if a client sends a very long name. */
const step = (key: unknown): string => {
  const name = String(key)
  const shown = name.length > limits.shownKey ? `${name.slice(0, limits.shownKey)}…` : name
  return `/${shown.replaceAll("~", "~0").replaceAll("/", "~1")}`
}

const violationsAt = (path: string, issue: SchemaIssue.Issue): ReadonlyArray<Violation> => {
  switch (issue._tag) {
    case "Composite":
      return issue.issues.flatMap((inner) => violationsAt(path, inner))
    case "Encoding":
      return violationsAt(path, issue.issue)
    case "Pointer":
      return violationsAt(path + issue.path.map(step).join(""), issue.issue)
    case "MissingKey":
      return [{ path, message: "Missing field" }]
    case "UnexpectedKey":
      return [{ path, message: "Unknown field" }]
    case "InvalidType":
      return [{ path, message: `Expected ${noun(SchemaAST.toEncoded(issue.ast))}` }]
    case "AnyOf":
      return issue.issues.length === 0
        ? [{ path, message: `Expected ${noun(SchemaAST.toEncoded(issue.ast))}` }]
        : issue.issues.flatMap((inner) => violationsAt(path, inner))
    default:
      return format(issue).issues.map((inner) => ({
        path: path + (inner.path ?? []).map(step).join(""),
        message: inner.message
      }))
  }
}

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
  const decode = SchemaParser.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  return (place, input) => {
    try {
      const kept = readAsIs?.(input)
      if (kept !== undefined) return Result.succeed(kept as S["Type"])
      const decoded = decode(input)
      if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
      const sent = withoutUndefined(input)
      return Result.mapError(sent === input ? decoded : decode(sent), (issue) =>
        violationsAt(place, issue).slice(0, limits.violations)
      )
    } catch {
      // Reading a field of it threw: a getter, or a Proxy.
      return Result.fail([{ path: place, message: "Expected plain data" }])
    }
  }
}
