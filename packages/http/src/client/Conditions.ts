import { parseIdempotencyKey } from "@petstore/core/domain"
import { formatEntityTag } from "../api/EntityTag.ts"
import type { Operation } from "../api/operations.ts"

/** The options of a method that its request sends as headers. */
export interface Conditions {
  readonly idempotencyKey?: string | undefined
  readonly ifVersion?: number | ReadonlyArray<number> | undefined
}

/** A well-formed tag that no resource has. */
const neverMatching = '"0"'

/** The `If-Match` header of an operation, if it has one. A value that is not a version matches none, as in an in-process petstore. */
export const ifMatch = ({ entityTag, method }: Operation, { ifVersion }: Conditions): string | undefined => {
  if (entityTag === undefined || method === "GET" || ifVersion === undefined) return undefined
  const versions: ReadonlyArray<unknown> = Array.isArray(ifVersion) ? ifVersion : [ifVersion]
  const tags = versions.map((version) =>
    typeof version === "number" && Number.isSafeInteger(version)
      ? formatEntityTag(entityTag, { version })
      : neverMatching
  )
  return tags.length === 0 ? neverMatching : tags.join(", ")
}

/** The `Idempotency-Key` header, quoted so that no key changes; undefined if the value cannot be a key. */
export const idempotencyHeader = (key: unknown): string | undefined => {
  const header = typeof key === "string" ? `"${key.replace(/["\\]/g, "\\$&")}"` : ""
  return parseIdempotencyKey(header) === key ? header : undefined
}
