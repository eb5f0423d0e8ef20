import { type Validated, type Violation, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import type { Operation } from "../../api/operations.ts"
import type { RequestContext } from "../RequestContext.ts"
import { type Condition, conditionReader } from "./condition.ts"
import { pathReader } from "./pathParameters.ts"
import { queryReader } from "./queryReader.ts"

/** The decoded input of an operation. */
export interface Arguments extends Condition {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

const nothing: Validated<undefined> = Result.succeed(undefined)

const violationsOf = (part: Validated<unknown>): ReadonlyArray<Violation> =>
  Result.isFailure(part) ? part.failure : []

/** Returns a function that validates all input of an operation together, so that a refusal lists everything that is wrong. */
export const argumentReader = (
  operation: Operation
): ((context: RequestContext, body: unknown) => Validated<Arguments>) => {
  const readPath = pathReader(operation)
  const readQuery = queryReader(operation.query)
  const readBody = operation.body === undefined ? () => nothing : validator(operation.body)
  const readCondition = conditionReader(operation)

  return (context, sent) => {
    const params = readPath(context.pathValues)
    const query = readQuery(context.query)
    const body = readBody("/body", sent)
    const condition = readCondition(context)
    return Result.isSuccess(params) && Result.isSuccess(query) && Result.isSuccess(body) && Result.isSuccess(condition)
      ? Result.succeed({ params: params.success, query: query.success, body: body.success, ...condition.success })
      : Result.fail([params, query, body, condition].flatMap(violationsOf))
  }
}
