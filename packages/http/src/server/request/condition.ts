import type { Validated } from "@petstore/core/domain"
import * as Result from "effect/Result"
import { type EntityTagKind, versionOf } from "../../api/EntityTag.ts"
import type { Operation } from "../../api/operations.ts"
import type { Exchange } from "../Exchange.ts"
import { type EntityTags, parseEntityTags } from "./entityTags.ts"

/** What a request depends on (RFC 9110, section 13). */
export interface Condition {
  /** For changes: the versions that `If-Match` names; undefined where any will do. */
  readonly ifVersion?: ReadonlyArray<number> | undefined
  /** For changes: the versions that `If-None-Match` names. */
  readonly unlessVersion?: ReadonlyArray<number> | undefined
  /** For reads: the entity tags that the client expects, by `If-Match`. */
  readonly ifMatch?: EntityTags | undefined
  /** For reads: what the client has already, by `If-None-Match`. */
  readonly ifNoneMatch?: EntityTags | undefined
  /** Whether no state of the resource meets it. */
  readonly isImpossible?: boolean
}

const unconditional: Validated<Condition> = Result.succeed({})

/** The condition that the two headers make for an operation. */
type Combine = (match: EntityTags | undefined, noneMatch: EntityTags | undefined) => Condition

const forRead: Combine = (ifMatch, ifNoneMatch) => ({ ifMatch, ifNoneMatch })

/** What a POST is sent to exists and has no entity tag. */
const forCreation: Combine = (match, noneMatch) => ({
  isImpossible: noneMatch === "any" || (match !== undefined && match !== "any")
})

const versionsOf = (kind: EntityTagKind, tags: EntityTags | undefined): ReadonlyArray<number> | undefined =>
  tags === undefined || tags === "any"
    ? undefined
    : tags.map((tag) => versionOf(kind, tag)).filter((version) => version !== undefined)

const withoutWeakness = (tags: EntityTags | undefined): EntityTags | undefined =>
  tags === undefined || tags === "any" ? tags : tags.map((tag) => tag.replace(/^W\//, ""))

const forChange =
  (kind: EntityTagKind): Combine =>
  (match, noneMatch) => ({
    // A resource that is there has a version, which is none of these.
    ifVersion: noneMatch === "any" ? [] : versionsOf(kind, match),
    unlessVersion: versionsOf(kind, withoutWeakness(noneMatch))
  })

const combineFor = ({ entityTag, method }: Operation): Combine | undefined => {
  if (method === "POST") return forCreation
  if (entityTag === undefined) return undefined
  return method === "GET" ? forRead : forChange(entityTag)
}

const malformed = (name: string) => ({ path: `/header/${name}`, message: "Expected entity tags, or *" })

/** Reads the conditional headers of an operation. Reads of what has no entity tag are unconditional. */
export const conditionReader = (operation: Operation): ((exchange: Exchange) => Validated<Condition>) => {
  const combine = combineFor(operation)
  if (combine === undefined) return () => unconditional
  return (exchange) => {
    const [match, noneMatch] = [exchange.header("if-match"), exchange.header("if-none-match")]
    if (match === undefined && noneMatch === undefined) return unconditional
    const expected = match === undefined ? undefined : parseEntityTags(match)
    const unexpected = noneMatch === undefined ? undefined : parseEntityTags(noneMatch)
    const violations = [
      ...(match !== undefined && expected === undefined ? [malformed("If-Match")] : []),
      ...(noneMatch !== undefined && unexpected === undefined ? [malformed("If-None-Match")] : [])
    ]
    return violations.length > 0 ? Result.fail(violations) : Result.succeed(combine(expected, unexpected))
  }
}
