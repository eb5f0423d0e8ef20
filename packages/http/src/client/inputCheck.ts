import { inputOf, type Validated, ValidationFailed, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Operation } from "../api/operations.ts"

/** What an operation is asked, as in process. */
export interface OperationRequest {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}

type Fields = Readonly<Record<string, unknown>>

/** Checks an input; the fields of the path and of the query, where nothing is wrong. */
export type InputCheck = (
  input: OperationRequest,
  body: "if needed" | "too"
) => Result.Result<{ readonly params: Fields; readonly query: Fields }, ValidationFailed>

const isScalar = (value: unknown): boolean =>
  value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)

const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value))

/** Whether JSON carries a body as it is: an object of scalars and lists of them. It would carry NaN as null, for one. */
const isFaithful = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  isPlain(body) &&
  Object.values(body).every(
    (field) => field === undefined || isScalar(field) || (Array.isArray(field) && field.every(isScalar))
  )

const fieldsOf = (part: Validated<unknown> | undefined): Fields =>
  part !== undefined && Result.isSuccess(part) ? { ...(part.success as object) } : {}

/**
 * Builds the check of one operation. Paths and queries are checked here, since as text they would lose what types their
 * values had. Bodies are the server's to check, unless JSON would not carry them as they are, or there are other
 * violations to be told together with theirs. The checks are those of the petstore in process, in the same words.
 */
export const inputCheck = (operation: Operation): InputCheck => {
  const { query } = inputOf(operation.useCase)
  const paramsOf = operation.params === undefined ? undefined : validator(Schema.toType(operation.params))
  const queryOf = query === undefined ? undefined : validator(query)
  const bodyOf = operation.body === undefined ? undefined : validator(operation.body)

  return (input, when) => {
    const params = paramsOf?.("/path", input.params)
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
