import * as Schema from "effect/Schema"
import { InventoryFilter, PageQuery } from "./Filters.ts"
import { Id, integer } from "./Id.ts"
import { limits } from "./limits.ts"
import type { MethodInputs } from "./MethodInput.ts"
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
  /** Units that can be ordered now. */
  available: Schema.optionalKey(StockQuantity)
}).annotate({ identifier: "InventoryItem" })
export interface InventoryItem extends Schema.Schema.Type<typeof InventoryItem> {}

/** The input that sets a stock count. */
export const InventoryUpdate = Schema.Struct({ quantity: StockQuantity }).annotate({ identifier: "InventoryUpdate" })
export interface InventoryUpdate extends Schema.Schema.Type<typeof InventoryUpdate> {}

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

/** What the methods of `inventory` take. */
export const inventoryInputs = {
  get: { path: { petId: Id } },
  list: { query: InventoryFilter },
  set: {
    path: { petId: Id },
    body: InventoryUpdate,
    field: "quantity",
    options: { idempotencyKey: true, ifVersion: true }
  },
  movements: { path: { petId: Id }, query: PageQuery }
} as const satisfies MethodInputs
