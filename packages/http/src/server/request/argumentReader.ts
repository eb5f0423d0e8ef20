import { type Validated, type Violation, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
import { type Operation, parameterNames } from "../../api/operations.ts"
import { IdParameter } from "../../api/parameters.ts"
import type { RequestContext } from "../RequestContext.ts"
import { type Condition, conditionReader } from "./condition.ts"
import { queryReader } from "./queryReader.ts"

/** The decoded input of an operation. */
interface Arguments extends Condition {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

const nothing: Validated<undefined> = Result.succeed(undefined)

/** An id as nearly all are: short enough to need no further check. */
const smallId = /^[1-9][0-9]{0,14}$/

/** Returns a function that validates the values in the path of an operation. */
const pathReader = ({ params, path }: Operation): ((values: ReadonlyArray<string>) => Validated<unknown>) => {
  if (params === undefined) return () => nothing
  const names = parameterNames(path)
  const validate = validator(params)
  const read = (values: ReadonlyArray<string>) =>
    validate("/path", Object.fromEntries(names.map((name, index) => [name, values[index]])))

  const { ast } = params
  const [name, ...others] = names
  const onlyId =
    name !== undefined &&
    others.length === 0 &&
    SchemaAST.isObjects(ast) &&
    ast.propertySignatures.every(({ type }) => type === IdParameter.ast)
  if (!onlyId) return read
  return (values) => {
    const [id = ""] = values
    return smallId.test(id) ? Result.succeed({ [name]: Number(id) }) : read(values)
  }
}

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
