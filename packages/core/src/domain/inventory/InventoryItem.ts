import * as Schema from "effect/Schema"
import { Id, integer } from "../Id.ts"
import { limits } from "../limits.ts"
import { batchOf, type MethodInputs } from "../MethodInput.ts"
import { ListSort, PageQuery } from "../PageQuery.ts"
import { line } from "../Text.ts"
import { Timestamp } from "../Timestamp.ts"
import { AdjustmentReason, StockDelta } from "./Movement.ts"
import { available, PetStatus, type Stock, statusOf } from "./Stock.ts"

/** Units of one pet in the store: a whole number from 0 to 2^31 - 1. */
export const StockQuantity = integer(0, limits.stock)

/** The stock of one pet. `quantity` includes reserved units. */
export const InventoryItem = Schema.Struct({
  petId: Id,
  quantity: StockQuantity,
  status: PetStatus,
  /** Units reserved for open orders. */
  reserved: Schema.optionalKey(StockQuantity),
  /** Units that can be ordered. */
  available: Schema.optionalKey(StockQuantity)
}).annotate({ identifier: "InventoryItem" })
export interface InventoryItem extends Schema.Schema.Type<typeof InventoryItem> {}

/** The input that sets a stock count. */
export const InventoryUpdate = Schema.Struct({ quantity: StockQuantity }).annotate({ identifier: "InventoryUpdate" })
export interface InventoryUpdate extends Schema.Schema.Type<typeof InventoryUpdate> {}

/** The input that adds units to a stock, or takes them away. */
export const InventoryAdjustment = Schema.Struct({
  /** Units to add; below 0, units to take away. 0 changes nothing. */
  delta: StockDelta,
  reason: AdjustmentReason,
  /** For people who read the ledger: one line of 1 to 200 characters. */
  note: Schema.optionalKey(line(limits.note)),
  /** What the change belongs to in your system, such as a delivery: one line of 1 to 200 characters. */
  reference: Schema.optionalKey(line(limits.reference)),
  /** When it happened. Default: when it is recorded. */
  occurredAt: Schema.optionalKey(Timestamp)
}).annotate({ identifier: "InventoryAdjustment" })
export interface InventoryAdjustment extends Schema.Schema.Type<typeof InventoryAdjustment> {}

/** One of several adjustments. A pet may have several, for different reasons. */
export const PetAdjustment = Schema.Struct({ petId: Id, ...InventoryAdjustment.fields }).annotate({
  identifier: "PetAdjustment"
})
export interface PetAdjustment extends Schema.Schema.Type<typeof PetAdjustment> {}

/** The stock count of one pet of several. */
export const InventoryCount = Schema.Struct({
  petId: Id,
  quantity: StockQuantity,
  /** The version of the stock that you have read: fails with `precondition_failed` if it has changed since. */
  ifVersion: Schema.optionalKey(Id)
}).annotate({ identifier: "InventoryCount" })
export interface InventoryCount extends Schema.Schema.Type<typeof InventoryCount> {}

const countedOnce = Schema.makeFilter((items: ReadonlyArray<InventoryCount>) => {
  const seen = new Set<number>()
  const repeated = items.flatMap(({ petId }, index) => {
    const isFirst = !seen.has(petId)
    seen.add(petId)
    return isFirst ? [] : [{ path: [index, "petId"], issue: "Expected each pet once" }]
  })
  return repeated.length === 0 || repeated
})

/** The input that sets the stock counts of several pets. */
export const InventoryCounts = Schema.Struct({
  items: batchOf(InventoryCount).check(countedOnce)
}).annotate({ identifier: "InventoryCounts" })
export interface InventoryCounts extends Schema.Schema.Type<typeof InventoryCounts> {}

/** The input that adds units to several stocks, or takes them away. */
export const InventoryAdjustments = Schema.Struct({
  adjustments: batchOf(PetAdjustment)
}).annotate({ identifier: "InventoryAdjustments" })
export interface InventoryAdjustments extends Schema.Schema.Type<typeof InventoryAdjustments> {}

/** The inventory item that callers see of a pet with this stock. */
export const toInventoryItem = (petId: number, stock: Stock): Required<InventoryItem> => ({
  petId,
  quantity: stock.onHand,
  status: statusOf(stock),
  reserved: stock.reserved,
  available: available(stock)
})

/** Whether two stocks of a pet look the same to callers, so that the version stays. */
export const sameInventory = (a: Stock, b: Stock): boolean =>
  a.onHand === b.onHand && a.reserved === b.reserved && available(a) === available(b)

/** Which inventory items to list. */
export const InventoryFilter = Schema.Struct({
  ...PageQuery.fields,
  /** `available` lists by the units that can be ordered, then by pet id, with the index `inventory.available`. Default: `id`. */
  sort: Schema.optionalKey(Schema.Literals([...ListSort.literals, "available", "-available"])),
  status: Schema.optionalKey(PetStatus),
  /** Only pets of which at most this many units can be ordered. */
  maxAvailable: Schema.optionalKey(StockQuantity)
})
export interface InventoryFilter extends Schema.Schema.Type<typeof InventoryFilter> {}

/** Which movements of a pet to list, and in which direction. */
export const MovementQuery = Schema.Struct({
  ...PageQuery.fields,
  /** `-seq` lists the newest first. Default: `seq`. */
  sort: Schema.optionalKey(Schema.Literals(["seq", "-seq"]))
})
export interface MovementQuery extends Schema.Schema.Type<typeof MovementQuery> {}

/** What the methods of `inventory` take. */
export const inventoryInputs = {
  get: { path: { petId: Id }, errors: ["not_found"] },
  list: { query: InventoryFilter, errors: ["not_indexed"] },
  set: {
    path: { petId: Id },
    body: InventoryUpdate,
    field: "quantity",
    options: { idempotencyKey: true, ifVersion: true },
    errors: ["not_found", "quantity_below_reserved"]
  },
  adjust: {
    path: { petId: Id },
    body: InventoryAdjustment,
    options: { idempotencyKey: true },
    errors: ["not_found", "quantity_below_reserved", "stock_limit_exceeded"]
  },
  setAll: {
    body: InventoryCounts,
    field: "items",
    options: { idempotencyKey: true },
    errors: ["not_found", "precondition_failed", "quantity_below_reserved"]
  },
  movements: { path: { petId: Id }, query: MovementQuery, errors: ["not_found"] },
  adjustAll: {
    body: InventoryAdjustments,
    field: "adjustments",
    options: { idempotencyKey: true },
    errors: ["not_found", "quantity_below_reserved", "stock_limit_exceeded"]
  }
} as const satisfies MethodInputs
