import { parseIdempotencyKey } from "@petstore/core/domain"
import { formatEntityTag } from "../api/EntityTag.ts"
import type { Operation } from "../api/operations.ts"

/** What is asked of how an operation is done. */
export interface Conditions {
  readonly idempotencyKey?: string | undefined
  readonly ifVersion?: number | ReadonlyArray<number> | undefined
}

/** A well-formed tag that no resource ever has. */
const neverMatching = '"0"'

/** The `If-Match` header of an operation, where there is one. What is no version matches none, as in process. */
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

/** The `Idempotency-Key` header, quoted so that each key stays what it is; undefined for what can be no key. */
export const idempotencyHeader = (key: unknown): string | undefined => {
  const header = typeof key === "string" ? `"${key.replace(/["\\]/g, "\\$&")}"` : ""
  return parseIdempotencyKey(header) === key ? header : undefined
}
