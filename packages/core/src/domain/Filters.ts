import * as Schema from "effect/Schema"
import { Id, integer } from "./Id.ts"
import { limits } from "./limits.ts"
import { orderStatesWhere } from "./OrderState.ts"
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

/** The states of orders that lists show. */
const ListedState = Schema.Literals(orderStatesWhere(({ visible }) => visible))

const countField = {
  /** Whether the page has a `total`. */
  count: Schema.optionalKey(Schema.Boolean)
}

/** Orders of lists of pets; `-` is for descending. */
export const PetSort = Schema.Literals(["id", "-id", "name", "-name"])
export type PetSort = typeof PetSort.Type

/** Orders of lists of orders; `-` is for descending. */
export const OrderSort = Schema.Literals(["id", "-id"])
export type OrderSort = typeof OrderSort.Type

/** Which pets to list, and in which order. */
export const PetFilter = Schema.Struct({
  ...PageQuery.fields,
  ...countField,
  /** `id` if absent; with the filter `name` it is `name` or `-name`, and `name` if absent. */
  sort: Schema.optionalKey(PetSort),
  status: Schema.optionalKey(PetStatus),
  categoryId: Schema.optionalKey(Id),
  /** The beginning of the name; case matters. Names are sorted by code points, and equal ones by ids. */
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

/** Which orders to list, and in which order. Cancelled orders are never listed. */
export const OrderFilter = Schema.Struct({
  ...PageQuery.fields,
  ...countField,
  /** `id` if absent. */
  sort: Schema.optionalKey(OrderSort),
  state: Schema.optionalKey(ListedState),
  petId: Schema.optionalKey(Id),
  complete: Schema.optionalKey(Schema.Boolean)
})
export interface OrderFilter extends Schema.Schema.Type<typeof OrderFilter> {}
