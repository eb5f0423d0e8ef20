import { inputOf, type Validated, ValidationFailed, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Operation } from "../api/operations.ts"

export interface OperationRequest {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}

type Fields = Readonly<Record<string, unknown>>

/** Checks an input. Returns the fields of the path and the query if nothing is wrong. */
type InputCheck = (
  input: OperationRequest,
  body: "if needed" | "too"
) => Result.Result<{ readonly params: Fields; readonly query: Fields }, ValidationFailed>

const isScalar = (value: unknown): boolean =>
  value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)

const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value))

/** Whether JSON represents a value as it is. NaN, for example, would become null. */
const isFaithfulValue = (value: unknown): boolean =>
  isScalar(value) || (Array.isArray(value) ? value.every(isFaithfulValue) : isFaithful(value))

/** Whether JSON represents a body as it is: a plain object, whose fields may be absent. */
const isFaithful = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  isPlain(body) &&
  Object.values(body).every((field) => field === undefined || isFaithfulValue(field))

const fieldsOf = (part: Validated<unknown> | undefined): Fields =>
  part !== undefined && Result.isSuccess(part) ? { ...(part.success as object) } : {}

/**
 * Makes the check of one operation. Paths and queries are checked here, because the types of their values are lost in a URL.
 * Bodies are checked by the server, unless JSON would not represent them as they are, or there are other violations to report
 * with theirs. The checks and messages are those of an in-process petstore.
 */
export const inputCheck = (operation: Operation): InputCheck => {
  const { query = operation.query && Schema.toType(operation.query) } = inputOf(operation.useCase)
  const paramsOf = operation.params === undefined ? undefined : validator(Schema.toType(operation.params))
  const queryOf = query === undefined ? undefined : validator(query)
  const bodyOf = operation.body === undefined ? undefined : validator(operation.body)

  return (input, when) => {
    const params = paramsOf?.("", input.params)
    const query = queryOf?.("/query", input.query)
    const parts = [params, query].filter((part) => part !== undefined)
    if (bodyOf !== undefined && (when === "too" || parts.some(Result.isFailure) || !isFaithful(input.body))) {
      parts.push(bodyOf("/body", input.body))
    }
    const violations = parts.flatMap((part) => (Result.isFailure(part) ? part.failure : []))
    return violations.length === 0
      ? Result.succeed({ params: fieldsOf(params), query: fieldsOf(query) })
      : Result.fail(ValidationFailed.of(violations))
  }
}
