import {
  InvalidIdempotencyKey,
  parseIdempotencyKey,
  type Validated,
  ValidationFailed,
  validator
} from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { entityTags } from "../api/EntityTag.ts"
import type { Operation } from "../api/operations.ts"
import { inputCheck, type OperationRequest } from "./inputCheck.ts"

/** The options of a method that its request sends as headers. */
export interface Conditions {
  readonly idempotencyKey?: string | undefined
  readonly ifVersion?: number | ReadonlyArray<number> | undefined
}

/** A well-formed tag that no resource has. */
const neverMatching = '"0"'

/** The `If-Match` header of an operation, if it has one. */
const ifMatch = ({ entityTag, method }: Operation, { ifVersion }: Conditions): string | undefined => {
  if (entityTag === undefined || method === "GET" || ifVersion === undefined) return undefined
  const tags = [ifVersion].flat().map((version) => entityTags[entityTag]({ version }))
  return tags.length === 0 ? neverMatching : tags.join(", ")
}

/** The `Idempotency-Key` header, quoted so that no key changes; undefined if the value cannot be a key. */
const idempotencyHeader = (key: unknown): string | undefined => {
  const header = typeof key === "string" ? `"${key.replace(/["\\]/g, "\\$&")}"` : ""
  return parseIdempotencyKey(header) === key ? header : undefined
}

/** A request without the server and the key. */
export interface EncodedRequest {
  readonly method: string
  /** Relative to the base URL, query included. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export type RequestEncoder = (
  input: OperationRequest,
  conditions: Conditions
) => Result.Result<EncodedRequest, ValidationFailed | InvalidIdempotencyKey>

type Texts = Readonly<Record<string, string | ReadonlyArray<string>>>

// Parameters of paths are encoded as `String` does.
const pathFiller = (template: string): ((values: Readonly<Record<string, unknown>>) => string) => {
  const parts = template.split(/:(\w+)/)
  return (values) =>
    parts.map((part, index) => (index % 2 === 0 ? part : encodeURIComponent(String(values[part])))).join("")
}

const queryOf = (texts: Texts): string => {
  const pairs = Object.entries(texts).flatMap(([name, value]) => [value].flat().map((each) => [name, each]))
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`
}

const queryEncoder = (schema: Operation["query"]): ((values: unknown) => Validated<string>) => {
  if (schema === undefined) return () => Result.succeed("")
  const encode = validator(Schema.flip(schema))
  // Parameters are strings, or lists of strings if they are repeated.
  return (values) => Result.map(encode("/query", values), (texts) => queryOf(texts as Texts))
}

export const requestEncoder = (operation: Operation): RequestEncoder => {
  const check = inputCheck(operation)
  const fillPath = pathFiller(operation.path)
  const queryString = queryEncoder(operation.query)
  const takesBody = operation.body !== undefined

  return (input, conditions) => {
    const keyed = operation.idempotencyKey !== "ignored" && conditions.idempotencyKey !== undefined
    const key = keyed ? idempotencyHeader(conditions.idempotencyKey) : undefined
    const broken = keyed && key === undefined
    const checked = check(input, broken ? "too" : "if needed")
    if (Result.isFailure(checked)) return Result.fail(checked.failure)
    if (broken) return Result.fail(InvalidIdempotencyKey.of(conditions.idempotencyKey))
    const { params, query } = checked.success
    const queryText = queryString(query)
    if (Result.isFailure(queryText)) return Result.fail(ValidationFailed.of(queryText.failure))
    const tags = ifMatch(operation, conditions)
    return Result.succeed({
      method: operation.method,
      path: fillPath(params) + queryText.success,
      headers: {
        Accept: "application/json",
        ...(takesBody ? { "Content-Type": "application/json" } : {}),
        ...(key === undefined ? {} : { "Idempotency-Key": key }),
        ...(tags === undefined ? {} : { "If-Match": tags })
      },
      body: takesBody ? JSON.stringify(input.body) : undefined
    })
  }
}
