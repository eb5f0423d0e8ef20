import * as Schema from "effect/Schema"
import { integer } from "./Id.ts"
import { limits } from "./limits.ts"

/** Which part of a list. */
export const PageQuery = Schema.Struct({
  /** Maximum number of items, 1 to 100. Default: 20. */
  limit: Schema.optionalKey(integer(1, limits.page)),
  /** `next` of the page before. */
  cursor: Schema.optionalKey(Schema.String)
})
export interface PageQuery extends Schema.Schema.Type<typeof PageQuery> {}

/** The orders of lists that are read in both directions; `-` is for descending. */
export const ListSort = Schema.Literals(["id", "-id"])
export type ListSort = typeof ListSort.Type

/** Which part of a list, in which direction. */
export const ListQuery = Schema.Struct({
  ...PageQuery.fields,
  /** `-id` lists the newest first. Default: `id`. */
  sort: Schema.optionalKey(ListSort)
})
export interface ListQuery extends Schema.Schema.Type<typeof ListQuery> {}

/** A list that may count what it has. */
export const countField = {
  /** Whether the page has a `total`. */
  count: Schema.optionalKey(Schema.Boolean)
}
