import { limits, shown, unknownName, type Validated, type Violation, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"
import { type EntityTagKind, versionOf } from "../../api/EntityTag.ts"
import type { PlainSchema } from "../../api/operation.ts"
import { type Operation, parameterNames } from "../../api/operations.ts"
import { IdParameter } from "../../api/parameters.ts"
import type { RequestContext } from "../RequestContext.ts"
import { type EntityTags, parseEntityTags } from "./headerValues.ts"

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
export interface Arguments extends Condition {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** All in one shape, whatever the request has. */
const argumentsOf = (
  params: unknown,
  query: unknown,
  body: unknown,
  { ifMatch, ifNoneMatch, ifVersion, isImpossible = false, unlessVersion }: Condition
): Arguments => ({ params, query, body, ifMatch, ifNoneMatch, ifVersion, isImpossible, unlessVersion })

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
    if (!smallId.test(id)) return read(values)
    // V8 makes a literal with a computed key by a slow call.
    const one: Record<string, number> = {}
    one[name] = Number(id)
    return Result.succeed(one)
  }
}

const encoded = /[%+]/

const decode = (text: string): string | undefined => {
  if (!encoded.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

/** The JSON pointer of a parameter; an unknown name may be long, so it is cut. */
const pointer = (name: string): string => {
  const shown = name.length > limits.shownKey ? `${name.slice(0, limits.shownKey)}…` : name
  return `/query/${shown.replaceAll("~", "~0").replaceAll("/", "~1")}`
}

const isRepeated = (type: SchemaAST.AST): boolean => SchemaAST.isArrays(SchemaAST.toEncoded(type))

/** The parameters of a query by name, and whether they may be sent more than once. */
const parametersOf = ({ ast }: PlainSchema): ReadonlyMap<string, { readonly repeated: boolean }> => {
  if (!SchemaAST.isObjects(ast)) throw new TypeError("The parameters of a query must be the fields of a struct")
  return new Map(ast.propertySignatures.map(({ name, type }) => [String(name), { repeated: isRepeated(type) }]))
}

/** A pair of a query, such as `limit=20`; without a value if that is not percent-encoded UTF-8. */
const parsePair = (pair: string): { readonly name: string; readonly value: string | undefined } => {
  const equals = pair.indexOf("=")
  const name = equals === -1 ? pair : pair.slice(0, equals)
  return { name: decode(name) ?? name, value: equals === -1 ? "" : decode(pair.slice(equals + 1)) }
}

/** How many pairs are remembered of an operation, and how long they may be: cursors, which are longer, come once. */
const [mostPairs, longestPair] = [256, 32]

interface Meaning {
  readonly name: string
  readonly value: unknown
}

/**
 * Returns a function that reads a query in which each parameter stands once and is valid, as nearly all are; for any other, it returns
 * undefined. It remembers what pairs mean, since clients send few different ones. Returns undefined for a schema with checks of several
 * fields, because then the meaning of one depends on others.
 */
const plainReader = ({ ast }: PlainSchema): ((query: string) => unknown) | undefined => {
  if (!SchemaAST.isObjects(ast) || ast.checks !== undefined || ast.encoding !== undefined) return undefined
  const readers = new Map(
    ast.propertySignatures.flatMap(({ name, type }) =>
      isRepeated(type)
        ? []
        : [[String(name), SchemaParser.decodeUnknownResult(Schema.make<PlainSchema>(type))] as const]
    )
  )
  const required = ast.propertySignatures.flatMap(({ name, type }) =>
    type.context?.isOptional === true ? [] : [String(name)]
  )
  const remembered = new Map<string, Meaning>()
  const meaningOf = (pair: string): Meaning | undefined => {
    const { name, value } = parsePair(pair)
    const read = value === undefined ? undefined : readers.get(name)?.(value)
    if (read === undefined || Result.isFailure(read)) return undefined
    const meaning = { name, value: read.success }
    // An object could be changed by the request that gets it.
    if (pair.length <= longestPair && typeof read.success !== "object") {
      if (remembered.size >= mostPairs) remembered.clear()
      remembered.set(pair, meaning)
    }
    return meaning
  }
  return (query) => {
    const meant: Record<string, unknown> = {}
    for (const pair of query.split("&")) {
      const meaning = remembered.get(pair) ?? meaningOf(pair)
      if (meaning === undefined || meant[meaning.name] !== undefined) return undefined
      meant[meaning.name] = meaning.value
    }
    return required.every((name) => name in meant) ? meant : undefined
  }
}

/** Returns a function that validates the query of an operation: each parameter once, unless it is a list, and none that is unknown. */
export const queryReader = (schema: PlainSchema | undefined): ((query: string) => Validated<unknown>) => {
  const known = schema === undefined ? new Map<string, { readonly repeated: boolean }>() : parametersOf(schema)
  const names = [...known.keys()]
  const validate = schema === undefined ? undefined : validator(schema)
  const readPlain = schema === undefined ? undefined : plainReader(schema)
  const empty = validate?.("/query", {}) ?? nothing

  return (query) => {
    if (query === "") return empty
    const plain = readPlain?.(query)
    if (plain !== undefined) return Result.succeed(plain)
    const values: Record<string, string> = {}
    const lists: Record<string, Array<string>> = {}
    const violations: Array<Violation> = []
    for (const pair of query.split("&")) {
      if (pair === "" || violations.length === limits.violations) continue
      const { name, value } = parsePair(pair)
      const parameter = known.get(name)
      if (parameter === undefined) {
        violations.push({ path: pointer(name), message: unknownName("parameter", name, names) })
      } else if (value === undefined) {
        violations.push({ path: pointer(name), message: "Expected percent-encoded UTF-8" })
      } else if (parameter.repeated) {
        lists[name] ??= []
        lists[name].push(value)
      } else if (values[name] === undefined) {
        values[name] = value
      } else {
        violations.push({ path: pointer(name), message: "Expected this parameter once" })
      }
    }
    const validated = validate?.("/query", { ...values, ...lists }) ?? nothing
    if (violations.length === 0) return validated
    const others = Result.isFailure(validated) ? validated.failure : []
    return Result.fail([...violations, ...others].slice(0, limits.violations))
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
      ? Result.succeed(argumentsOf(params.success, query.success, body.success, condition.success))
      : Result.fail([params, query, body, condition].flatMap(violationsOf))
  }
}
