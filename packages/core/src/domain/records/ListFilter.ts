/** Filters of lists of resources that have records: by their times, and by a key of their metadata. */

import * as Schema from "effect/Schema"
import { limits } from "../limits.ts"
import { prose } from "../Text.ts"
import { Timestamp } from "../Timestamp.ts"
import { isMetadataKey } from "./ResourceRecord.ts"

/** One key of metadata, and the value that it has. */
export const MetadataFilter = Schema.Struct({
  key: Schema.String.check(
    Schema.makeFilter(
      (text: string) => isMetadataKey(text) || `Expected a key of metadata, of at most ${limits.metadataKey} characters`
    )
  ),
  value: prose(1, limits.metadataText)
})
/** Selects resources whose metadata have this value for this key. */
export interface MetadataFilter extends Schema.Schema.Type<typeof MetadataFilter> {}

/** The filters that lists of pets, categories and orders have in common. Each needs an index that the shop has switched on. */
export const recordFilters = {
  /** Created later than this. The list is sorted by `createdAt`. */
  createdAfter: Schema.optionalKey(Timestamp),
  /** Created before this. The list is sorted by `createdAt`. */
  createdBefore: Schema.optionalKey(Timestamp),
  /** Changed later than this: the resource or its record. The list is sorted by `updatedAt`. */
  updatedAfter: Schema.optionalKey(Timestamp),
  /** Whose metadata has this value of a key. Takes no other filters. */
  metadata: Schema.optionalKey(MetadataFilter)
}

/** The orders of lists by time; `-` is for descending. Those of equal times are sorted by id. */
export const timeSorts = ["createdAt", "-createdAt", "updatedAt", "-updatedAt"] as const
