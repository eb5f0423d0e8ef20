import { type Page, PreconditionFailed } from "@petstore/core/domain"
import type { Created } from "@petstore/core/services"
import { formatEntityTag, type Tagged } from "../../api/EntityTag.ts"
import type { Operation } from "../../api/operations.ts"
import { type Answer, jsonAnswer } from "../Answer.ts"
import type { Exchange } from "../Exchange.ts"
import { type EntityTags, matchesStrongly, matchesWeakly } from "../request/entityTags.ts"
import type { PublicPaths } from "../routes/PublicPaths.ts"
import { errorAnswer } from "./errorAnswer.ts"
import { projection } from "./projection.ts"

type SuccessAnswer = (
  outcome: unknown,
  exchange: Exchange,
  ifNoneMatch: EntityTags | undefined,
  ifMatch: EntityTags | undefined
) => Answer

/** The address of the next page: the same filters, another cursor. */
const nextPage = (path: string, query: string, cursor: string): string => {
  const parameters = new URLSearchParams(query)
  parameters.set("cursor", cursor)
  return `<${path}?${parameters}>; rel="next"`
}

const pageAnswer = ({ status, success }: Operation, mountPath: string): SuccessAnswer => {
  const project = success === undefined ? undefined : projection(success)
  return (outcome, { headers, path, query }) => {
    const { items, next } = outcome as Page<unknown>
    if (next !== undefined) headers.push("Link", nextPage(mountPath + path, query, next))
    return jsonAnswer(status, headers, JSON.stringify(project?.(items)))
  }
}

/** A path with one field of the answer in it. */
const locator = (template: string, base: string): ((resource: Readonly<Record<string, unknown>>) => string) => {
  const [before = "", field = "", after = ""] = template.split(/:(\w+)/)
  return (resource) => base + before + resource[field] + after
}

const resourceAnswer = (operation: Operation, base: string): SuccessAnswer => {
  const { entityTag, location, secret, status, success } = operation
  if (success === undefined) return (_outcome, { headers }) => ({ status, headers, body: "" })
  const project = projection(success)
  const locate = location === undefined ? undefined : locator(location, base)
  const creates = operation.idempotencyKey === "honoured"

  return (outcome, { headers }, ifNoneMatch, ifMatch) => {
    const { value, replayed } = creates ? (outcome as Created<unknown>) : { value: outcome, replayed: false }
    if (entityTag !== undefined) {
      const tag = formatEntityTag(entityTag, value as Tagged)
      if (ifMatch !== undefined && !matchesStrongly(ifMatch, tag))
        return errorAnswer(new PreconditionFailed({}), headers)
      headers.push("ETag", tag)
      if (ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, tag)) return { status: 304, headers, body: "" }
    }
    if (locate !== undefined) headers.push("Location", locate(value as Readonly<Record<string, unknown>>))
    if (secret) headers.push("Cache-Control", "no-store")
    if (replayed) headers.push("Idempotent-Replayed", "true")
    return jsonAnswer(status, headers, JSON.stringify(project(value)))
  }
}

/**
 * Makes the answer for what a handler of this operation said. What that is follows from the operation, as the type of
 * the handlers says: the table of operations cannot.
 */
export const successAnswer = (operation: Operation, paths: PublicPaths) =>
  operation.query === undefined ? resourceAnswer(operation, paths.base) : pageAnswer(operation, paths.mount)
