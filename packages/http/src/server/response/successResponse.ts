import { type Page, PreconditionFailed } from "@petstore/core/domain"
import type { Done } from "@petstore/core/runtime"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { entityTags, type Tagged } from "../../api/EntityTag.ts"
import { isList, type Operation } from "../../api/operations.ts"
import { formatTotal } from "../../api/parameters.ts"
import type { HttpResponse } from "../HttpResponse.ts"
import type { RequestContext } from "../RequestContext.ts"
import { type EntityTags, matchesStrongly, matchesWeakly } from "../request/headerValues.ts"
import type { PublicPaths } from "../routes/PublicPaths.ts"
import { errorResponse } from "./errorResponse.ts"

/** Returns a value that has the fields which belong in a response, in their order: the value itself if it is one. */
type Projection = (value: unknown) => unknown

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const same: Projection = (value) => value

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<readonly [name: string, literal: SchemaAST.LiteralValue]> =>
  SchemaAST.isObjects(ast)
    ? ast.propertySignatures.flatMap(({ name, type }) =>
        SchemaAST.isLiteral(type) ? [[String(name), type.literal] as const] : []
      )
    : []

/** Of values that differ in the literal of one field, such as the `type` of events. */
const taggedProjection = ({ types }: SchemaAST.Union): Projection => {
  const [first] = types
  const [tag] = (first === undefined ? [] : literalsOf(first)).map(([name]) => name)
  if (tag === undefined) return same
  const projections = new Map<unknown, Projection>(
    types.flatMap((type) =>
      literalsOf(type).flatMap(([name, literal]) => (name === tag ? [[literal, projectionOf(type)] as const] : []))
    )
  )
  return (value) => (isRecord(value) ? (projections.get(value[tag]) ?? same)(value) : value)
}

const projectionOf = (ast: SchemaAST.AST): Projection => {
  if (SchemaAST.isArrays(ast)) {
    const [item] = ast.rest
    const project = item === undefined ? same : projectionOf(item)
    return project === same ? same : (value) => (Array.isArray(value) ? projectedItems(value, project) : value)
  }
  if (SchemaAST.isUnion(ast)) return taggedProjection(ast)
  if (!SchemaAST.isObjects(ast) || ast.indexSignatures.length > 0) return same
  return fieldsProjection(
    ast.propertySignatures.map(({ name, type }) => ({ name: String(name), project: projectionOf(type) }))
  )
}

const projectedItems = (items: ReadonlyArray<unknown>, project: Projection): ReadonlyArray<unknown> => {
  const projected = items.map(project)
  return projected.some((item, place) => item !== items[place]) ? projected : items
}

interface Field {
  readonly name: string
  readonly project: Projection
}

/** Nearly all values have their fields in the order of the schema, and no others: to see that takes a third of the time of a copy. */
const fieldsProjection = (fields: ReadonlyArray<Field>): Projection => {
  const copy: Projection = (value) => {
    if (!isRecord(value)) return value
    const projected: Record<string, unknown> = {}
    for (const { name, project } of fields) {
      const field = value[name]
      if (field !== undefined) projected[name] = project === same ? field : project(field)
    }
    return projected
  }
  return (value) => {
    if (!isRecord(value)) return value
    let place = 0
    for (const name in value) {
      let field = fields[place++]
      while (field !== undefined && field.name !== name) field = fields[place++]
      if (field === undefined) return copy(value)
      if (field.project !== same && field.project(value[name]) !== value[name]) return copy(value)
    }
    return value
  }
}

/**
 * Returns a function that returns values with the fields of a schema, in its order and no others, so that equal values always become equal
 * bytes: the value itself if it has them. For schemas whose values are JSON already.
 */
export const projection = (schema: Schema.Constraint): Projection => projectionOf(SchemaAST.toType(schema.ast))

/** How many queries the links of an operation are remembered of, and how long they may be. */
const [mostQueries, longestQuery] = [256, 128]

/** Links are remembered by the rest of the query, since the cursor of each page is another. */
const withoutCursor = (query: string): string => {
  const start = `&${query}`.indexOf("&cursor=")
  if (start === -1) return query
  const end = query.indexOf("&", start)
  return end === -1 ? query.slice(0, Math.max(0, start - 1)) : query.slice(0, start) + query.slice(end + 1)
}

/**
 * Returns a function that writes the `Link` to the next page: the same filters, another cursor. However the filters were written, it is the
 * same, sorted by name, so that caches and clients recognize it.
 */
export const linkWriter = () => {
  /** What stands before and behind the cursor, by the rest of the query. */
  const known = new Map<string, readonly [before: string, behind: string]>()
  const split = (query: string): readonly [before: string, behind: string] => {
    // Without the sign before it, a question mark at the beginning of the first name would be dropped.
    const parameters = new URLSearchParams(`&${query}`)
    parameters.set("cursor", "")
    parameters.sort()
    const text = `&${parameters}`
    const start = text.indexOf("&cursor=") + "&cursor=".length
    return [text.slice(1, start), text.slice(start)]
  }
  return (path: string, query: string, cursor: string): string => {
    const rest = withoutCursor(query)
    let around = known.get(rest)
    if (around === undefined) {
      around = split(rest)
      if (known.size >= mostQueries) known.clear()
      if (rest.length <= longestQuery) known.set(rest, around)
    }
    return `<${path}?${around[0]}${cursor}${around[1]}>; rel="next"`
  }
}

/** Makes the response for what a handler returned. */
type SuccessResponse = (
  returned: unknown,
  context: RequestContext,
  ifNoneMatch: EntityTags | undefined,
  ifMatch: EntityTags | undefined
) => HttpResponse

/** For responses to a caller: shared caches would give them to others, and a cache of the caller must ask each time. */
const ofCaller = ["Cache-Control", "private, no-cache"] as const

const json = ["Content-Type", "application/json"] as const

const jsonOfCaller = [...ofCaller, ...json] as const

/** Of a response that repeats that of an earlier request with the same key. */
const replay = ["Idempotent-Replayed", "true"] as const

/** Returns a function that puts the values of the parameters into a path. */
const pathWriter = (template: string): ((values: ReadonlyArray<string>) => string) => {
  const [first = "", ...others] = template.split(/:\w+/)
  return (values) => others.reduce((path, part, index) => path + encodeURIComponent(values[index] ?? "") + part, first)
}

const pageResponse = ({ path, status, success }: Operation, { base }: PublicPaths): SuccessResponse => {
  const pathWith = pathWriter(base + path)
  const project = success === undefined ? undefined : projection(success)
  const linkTo = linkWriter()
  return (returned, { headers, pathValues, query }) => {
    const { items, next, total } = returned as Page<unknown>
    headers.push(...jsonOfCaller)
    if (next !== undefined) headers.push("Link", linkTo(pathWith(pathValues), query, next))
    if (total !== undefined) headers.push("Total-Count", formatTotal(total))
    return { status, headers, body: JSON.stringify(project?.(items)) }
  }
}

/** Returns a function that puts one field of a resource into a path. */
const locator = (template: string, base: string): ((resource: Readonly<Record<string, unknown>>) => string) => {
  const [before = "", field = "", after = ""] = template.split(/:(\w+)/)
  return (resource) => base + before + resource[field] + after
}

const hasRecord = (value: unknown): boolean => typeof value === "object" && value !== null && "record" in value

const resourceResponse = (operation: Operation, { base, docs }: PublicPaths): SuccessResponse => {
  const { entityTag, location, secret, status, success } = operation
  const isRepeatable = operation.idempotencyKey === "honoured"
  if (success === undefined) {
    return (returned, { headers }) => {
      headers.push(...ofCaller)
      if (isRepeatable && (returned as Done<unknown>).replayed) headers.push(...replay)
      return { status, headers, body: "" }
    }
  }
  const project = projection(success)
  const tagOf = entityTag === undefined ? undefined : entityTags[entityTag]
  const caching = secret ? (["Cache-Control", "no-store"] as const) : ofCaller
  const locate = location === undefined ? undefined : locator(location, base)

  return (returned, { headers }, ifNoneMatch, ifMatch) => {
    const value = isRepeatable ? (returned as Done<unknown>).value : returned
    if (tagOf !== undefined) {
      const tag = tagOf(value as Tagged)
      if (ifMatch !== undefined && !matchesStrongly(ifMatch, tag))
        return errorResponse(new PreconditionFailed({}), headers, docs)
      headers.push("ETag", tag, ...caching)
      // The tag is that of the resource, which stays when its record changes.
      if (ifNoneMatch !== undefined && !hasRecord(value) && matchesWeakly(ifNoneMatch, tag))
        return { status: 304, headers, body: "" }
    } else {
      headers.push(...caching)
    }
    if (locate !== undefined) headers.push("Location", locate(value as Readonly<Record<string, unknown>>))
    if (isRepeatable && (returned as Done<unknown>).replayed) headers.push(...replay)
    headers.push(...json)
    return { status, headers, body: JSON.stringify(project(value)) }
  }
}

/**
 * Returns the function that makes the responses of an operation's successes. The casts hold because `Handlers.ts` checks what the
 * handler of each operation returns, which the list of operations has no type for.
 */
export const successResponse = (operation: Operation, paths: PublicPaths) =>
  isList(operation) ? pageResponse(operation, paths) : resourceResponse(operation, paths)
