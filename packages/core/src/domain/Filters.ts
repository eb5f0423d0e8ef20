import * as Schema from "effect/Schema"
import { Id, integer } from "./Id.ts"
import { limits } from "./limits.ts"
import { PetStatus } from "./Stock.ts"
import { beginning } from "./Text.ts"

/** Which part of a list. */
export const PageQuery = Schema.Struct({
  /** 1 to 100; 20 if absent. */
  limit: Schema.optionalKey(integer(1, limits.page)),
  /** `next` of the page before. */
  cursor: Schema.optionalKey(Schema.String)
})
export interface PageQuery extends Schema.Schema.Type<typeof PageQuery> {}

/** Which pets to list. */
export const PetFilter = Schema.Struct({
  ...PageQuery.fields,
  status: Schema.optionalKey(PetStatus),
  categoryId: Schema.optionalKey(Id),
  /** The beginning of the name; case matters. The list is then in the order of names, by code points, and of ids. */
  name: Schema.optionalKey(beginning(limits.petName)),
  /** At most 100 ids. The page has all of them unless there is a lower `limit`. */
  id: Schema.optionalKey(
    Schema.Array(Id).check(
      Schema.isMinLength(1, { message: "Expected at least one id" }),
      Schema.isMaxLength(limits.ids, { message: `Expected at most ${limits.ids} ids` })
    )
  )
})
export interface PetFilter extends Schema.Schema.Type<typeof PetFilter> {}

/** Which inventory items to list. */
export const InventoryFilter = Schema.Struct({ ...PageQuery.fields, status: Schema.optionalKey(PetStatus) })
export interface InventoryFilter extends Schema.Schema.Type<typeof InventoryFilter> {}

/** Which orders to list. Cancelled orders are never listed. */
export const OrderFilter = Schema.Struct({
  ...PageQuery.fields,
  petId: Schema.optionalKey(Id),
  complete: Schema.optionalKey(Schema.Boolean)
})
export interface OrderFilter extends Schema.Schema.Type<typeof OrderFilter> {}
