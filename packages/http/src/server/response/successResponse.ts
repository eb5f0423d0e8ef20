import { type Page, PreconditionFailed } from "@petstore/core/domain"
import type { Done } from "@petstore/core/services"
import { entityTags, type Tagged } from "../../api/EntityTag.ts"
import { isList, type Operation } from "../../api/operations.ts"
import { formatTotal } from "../../api/parameters.ts"
import type { HttpResponse } from "../HttpResponse.ts"
import type { RequestContext } from "../RequestContext.ts"
import { type EntityTags, matchesStrongly, matchesWeakly } from "../request/headerValues.ts"
import type { PublicPaths } from "../routes/PublicPaths.ts"
import { errorResponse } from "./errorResponse.ts"
import { projection } from "./projection.ts"

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
