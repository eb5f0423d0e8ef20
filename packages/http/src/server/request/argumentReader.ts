import { shown, type Validated, type Violation, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
import { type EntityTagKind, versionOf } from "../../api/EntityTag.ts"
import { type Operation, parameterNames } from "../../api/operations.ts"
import { IdParameter } from "../../api/parameters.ts"
import type { RequestContext } from "../RequestContext.ts"
import { type EntityTags, parseEntityTags } from "./headerValues.ts"
import { queryReader } from "./queryReader.ts"

/** The conditional headers of a request (RFC 9110, section 13). */
interface Condition {
  /** For changes: the versions that `If-Match` names; undefined for any. */
  readonly ifVersion?: ReadonlyArray<number> | undefined
  /** For changes: the versions that `If-None-Match` names. */
  readonly unlessVersion?: ReadonlyArray<number> | undefined
  /** For reads: the entity tags that the client expects, by `If-Match`. */
  readonly ifMatch?: EntityTags | undefined
  /** For reads: the entity tags that the client has already, by `If-None-Match`. */
  readonly ifNoneMatch?: EntityTags | undefined
  /** Whether no state of the resource can meet it. */
  readonly isImpossible?: boolean
}

const unconditional: Validated<Condition> = Result.succeed({})

/** Combines the two headers for an operation. */
type Combine = (match: EntityTags | undefined, noneMatch: EntityTags | undefined) => Condition

const forRead: Combine = (ifMatch, ifNoneMatch) => ({ ifMatch, ifNoneMatch })

/** What a POST is sent to, and a message, exists and has no entity tag. */
const forUntagged: Combine = (match, noneMatch) => ({
  isImpossible: noneMatch === "any" || (match !== undefined && match !== "any")
})

const versionsOf = (kind: EntityTagKind, tags: EntityTags | undefined): ReadonlyArray<number> | undefined =>
  tags === undefined || tags === "any"
    ? undefined
    : tags.map((tag) => versionOf(kind, tag)).filter((version) => version !== undefined)

const withoutWeakness = (tags: EntityTags | undefined): EntityTags | undefined =>
  tags === undefined || tags === "any" ? tags : tags.map((tag) => tag.replace(/^W\//, ""))

/** The version of a reservation that does not exist; whatever else does not exist is not found before. */
const absent = 0

const forChange =
  (kind: EntityTagKind): Combine =>
  (match, noneMatch) => {
    const [expected, unexpected] = [versionsOf(kind, match), versionsOf(kind, withoutWeakness(noneMatch))]
    return {
      ifVersion: noneMatch === "any" ? (expected === undefined ? [absent] : []) : expected,
      unlessVersion: match === "any" ? [absent, ...(unexpected ?? [])] : unexpected
    }
  }

const combineFor = ({ entityTag, method }: Operation): Combine | undefined => {
  if (method === "GET") return entityTag === undefined ? undefined : forRead
  return method === "POST" || entityTag === undefined ? forUntagged : forChange(entityTag)
}

const malformed = (name: string, value: string) => ({
  path: `/header/${name}`,
  message: `Expected entity tags in double quotes, such as "3", or *, not ${shown(value)}`
})

/** Returns a function that reads the conditional headers of an operation. Reads without an entity tag are unconditional. */
const conditionReader = (operation: Operation): ((context: RequestContext) => Validated<Condition>) => {
  const combine = combineFor(operation)
  if (combine === undefined) return () => unconditional
  return (context) => {
    const [match, noneMatch] = [context.request.header("if-match"), context.request.header("if-none-match")]
    if (match === undefined && noneMatch === undefined) return unconditional
    const expected = match === undefined ? undefined : parseEntityTags(match)
    const unexpected = noneMatch === undefined ? undefined : parseEntityTags(noneMatch)
    const violations = [
      ...(match !== undefined && expected === undefined ? [malformed("If-Match", match)] : []),
      ...(noneMatch !== undefined && unexpected === undefined ? [malformed("If-None-Match", noneMatch)] : [])
    ]
    return violations.length > 0 ? Result.fail(violations) : Result.succeed(combine(expected, unexpected))
  }
}

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
