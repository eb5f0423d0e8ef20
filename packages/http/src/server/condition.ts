import type { Validated } from "@petstore/core/domain"
import { Result } from "effect"
import { versionOf } from "../api/EntityTag.ts"
import type { Operation } from "../api/operations.ts"
import type { Exchange } from "./Exchange.ts"
import { type EntityTags, parseEntityTags } from "./entityTags.ts"

/** What a request depends on. */
export interface Condition {
  /** The versions that `If-Match` names; undefined where any will do. */
  readonly ifVersion: ReadonlyArray<number> | undefined
  /** What the client has already, by `If-None-Match`. */
  readonly ifNoneMatch: EntityTags | undefined
}

const unconditional: Validated<Condition> = Result.succeed({ ifVersion: undefined, ifNoneMatch: undefined })

/** Reads the conditional header of an operation: `If-None-Match` where it reads, `If-Match` where it changes. */
export const conditionReader = ({ entityTag, method }: Operation): ((exchange: Exchange) => Validated<Condition>) => {
  if (entityTag === undefined || method === "POST") return () => unconditional
  const reads = method === "GET"
  const name = reads ? "If-None-Match" : "If-Match"
  const header = name.toLowerCase()
  return (exchange) => {
    const sent = exchange.header(header)
    if (sent === undefined) return unconditional
    const tags = parseEntityTags(sent)
    if (tags === undefined) return Result.fail([{ path: `/header/${name}`, message: "Expected entity tags, or *" }])
    if (reads) return Result.succeed({ ifVersion: undefined, ifNoneMatch: tags })
    if (tags === "any") return unconditional
    const versions = tags.map((tag) => versionOf(entityTag, tag)).filter((version) => version !== undefined)
    return Result.succeed({ ifVersion: versions, ifNoneMatch: undefined })
  }
}
