import * as Schema from "effect/Schema"
import { Id } from "../Id.ts"
import { countField, PageQuery } from "../PageQuery.ts"
import { includeField } from "../records/IncludedRecord.ts"
import { recordFilters, timeSorts } from "../records/ListFilter.ts"
import { orderStatesWhere } from "./OrderState.ts"

/** Orders of lists of orders; `-` is for descending. */
export const OrderSort = Schema.Literals(["id", "-id", ...timeSorts])
export type OrderSort = typeof OrderSort.Type

/** Which orders to list, and in which order. */
export const OrderFilter = Schema.Struct({
  ...PageQuery.fields,
  ...countField,
  ...includeField,
  ...recordFilters,
  /** Default: `id`, or the time of the filter. */
  sort: Schema.optionalKey(OrderSort),
  /** Default: every state but `cancelled` and `expired`. */
  state: Schema.optionalKey(Schema.Literals(orderStatesWhere(() => true))),
  /** Not with filters and orders by time. */
  petId: Schema.optionalKey(Id),
  complete: Schema.optionalKey(Schema.Boolean)
})
export interface OrderFilter extends Omit<Schema.Schema.Type<typeof OrderFilter>, "include"> {}
