import { shown, type Validated } from "@petstore/core/domain"
import * as Result from "effect/Result"
import { type EntityTagKind, versionOf } from "../../api/EntityTag.ts"
import type { Operation } from "../../api/operations.ts"
import type { RequestContext } from "../RequestContext.ts"
import { type EntityTags, parseEntityTags } from "./headerValues.ts"

/** The conditional headers of a request (RFC 9110, section 13). */
export interface Condition {
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

/** What a POST is sent to exists and has no entity tag. */
const forPost: Combine = (match, noneMatch) => ({
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
  if (method === "POST") return forPost
  if (entityTag === undefined) return undefined
  return method === "GET" ? forRead : forChange(entityTag)
}

const malformed = (name: string, value: string) => ({
  path: `/header/${name}`,
  message: `Expected entity tags in double quotes, such as "3", or *, not ${shown(value)}`
})

/** Returns a function that reads the conditional headers of an operation. Reads without an entity tag are unconditional. */
export const conditionReader = (operation: Operation): ((context: RequestContext) => Validated<Condition>) => {
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
