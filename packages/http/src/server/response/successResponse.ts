import { type Page, PreconditionFailed } from "@petstore/core/domain"
import type { Done } from "@petstore/core/services"
import { formatEntityTag, type Tagged } from "../../api/EntityTag.ts"
import { isList, type Operation } from "../../api/operations.ts"
import { formatTotal } from "../../api/parameters.ts"
import { type HttpResponse, jsonResponse } from "../HttpResponse.ts"
import type { RequestContext } from "../RequestContext.ts"
import { type EntityTags, matchesStrongly, matchesWeakly } from "../request/headerValues.ts"
import type { PublicPaths } from "../routes/PublicPaths.ts"
import { errorResponse } from "./errorResponse.ts"
import { projection } from "./projection.ts"

/** A query that is written as `URLSearchParams` would write it. */
const plainQuery = /^[\w.-]+=[\w.-]+(?:&[\w.-]+=[\w.-]+)*$/
const sentCursor = /(?<=^|&)cursor=[^&]*/

/** The `Link` to the next page: the same filters, another cursor. */
export const nextPage = (path: string, query: string, cursor: string): string => {
  if (plainQuery.test(query)) {
    const next = `cursor=${cursor}`
    const replaced = query.replace(sentCursor, next)
    return `<${path}?${sentCursor.test(query) ? replaced : `${query}&${next}`}>; rel="next"`
  }
  const parameters = new URLSearchParams(query)
  parameters.set("cursor", cursor)
  return `<${path}?${parameters}>; rel="next"`
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

const pageResponse = ({ status, success }: Operation, mountPath: string): SuccessResponse => {
  const project = success === undefined ? undefined : projection(success)
  return (returned, { headers, path, query }) => {
    const { items, next, total } = returned as Page<unknown>
    headers.push(...ofCaller)
    if (next !== undefined) headers.push("Link", nextPage(mountPath + path, query, next))
    if (total !== undefined) headers.push("Total-Count", formatTotal(total))
    return jsonResponse(status, headers, JSON.stringify(project?.(items)))
  }
}

/** Returns a function that puts one field of a resource into a path. */
const locator = (template: string, base: string): ((resource: Readonly<Record<string, unknown>>) => string) => {
  const [before = "", field = "", after = ""] = template.split(/:(\w+)/)
  return (resource) => base + before + resource[field] + after
}

const resourceResponse = (operation: Operation, { base, docs }: PublicPaths): SuccessResponse => {
  const { entityTag, location, secret, status, success } = operation
  const doneOf = (returned: unknown): Done<unknown> =>
    operation.idempotencyKey === "honoured" ? (returned as Done<unknown>) : { value: returned, replayed: false }
  const noteReplay = (replayed: boolean, headers: HttpResponse["headers"]): void => {
    if (replayed) headers.push("Idempotent-Replayed", "true")
  }
  if (success === undefined) {
    return (returned, { headers }) => {
      headers.push(...ofCaller)
      noteReplay(doneOf(returned).replayed, headers)
      return { status, headers, body: "" }
    }
  }
  const project = projection(success)
  const caching = secret ? (["Cache-Control", "no-store"] as const) : ofCaller
  const locate = location === undefined ? undefined : locator(location, base)

  return (returned, { headers }, ifNoneMatch, ifMatch) => {
    const { replayed, value } = doneOf(returned)
    if (entityTag !== undefined) {
      const tag = formatEntityTag(entityTag, value as Tagged)
      if (ifMatch !== undefined && !matchesStrongly(ifMatch, tag))
        return errorResponse(new PreconditionFailed({}), headers, docs)
      headers.push("ETag", tag, ...caching)
      if (ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, tag)) return { status: 304, headers, body: "" }
    } else {
      headers.push(...caching)
    }
    if (locate !== undefined) headers.push("Location", locate(value as Readonly<Record<string, unknown>>))
    noteReplay(replayed, headers)
    return jsonResponse(status, headers, JSON.stringify(project(value)))
  }
}

/**
 * Returns the function that makes the responses of an operation's successes. The casts hold because `Handlers.ts` checks what the
 * handler of each operation returns, which the list of operations has no type for.
 */
export const successResponse = (operation: Operation, paths: PublicPaths) =>
  isList(operation) ? pageResponse(operation, paths.mount) : resourceResponse(operation, paths)
