import { type Validated, type Violation, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import type { Operation } from "../../api/operations.ts"
import type { Exchange } from "../Exchange.ts"
import { type Condition, conditionReader } from "./condition.ts"
import { pathReader } from "./pathReader.ts"
import { queryReader } from "./queryReader.ts"

/** What an operation is asked, decoded. */
export interface Arguments extends Condition {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

const nothing: Validated<undefined> = Result.succeed(undefined)

const violationsOf = (part: Validated<unknown>): ReadonlyArray<Violation> =>
  Result.isFailure(part) ? part.failure : []

/** Reads all of what an operation is asked together, so that a refusal names everything that is wrong. */
export const argumentReader = (operation: Operation): ((exchange: Exchange, body: unknown) => Validated<Arguments>) => {
  const readPath = pathReader(operation)
  const readQuery = queryReader(operation.query)
  const readBody = operation.body === undefined ? () => nothing : validator(operation.body)
  const readCondition = conditionReader(operation)

  return (exchange, sent) => {
    const params = readPath(exchange.values)
    const query = readQuery(exchange.query)
    const body = readBody("/body", sent)
    const condition = readCondition(exchange)
    return Result.isSuccess(params) && Result.isSuccess(query) && Result.isSuccess(body) && Result.isSuccess(condition)
      ? Result.succeed({ params: params.success, query: query.success, body: body.success, ...condition.success })
      : Result.fail([params, query, body, condition].flatMap(violationsOf))
  }
}
