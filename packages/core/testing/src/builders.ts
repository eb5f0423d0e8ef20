import {
  type Category,
  type InventoryItem,
  type Movement,
  type NewCategory,
  type NewEvent,
  type NewOrder,
  type NewPet,
  nameKey,
  type Order,
  type Pet,
  type Stock,
  toInventoryItem
} from "@petstore/core/domain"
import type { EventRecord } from "@petstore/core/ports"
import type { CategoryRecord, OrderRecord, PetRecord } from "@petstore/core/tables"

/**
 * The input of a new category, Dogs. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { aNewCategory } from "@petstore/testing"
 *
 * aNewCategory({ description: "Bark" }) // => {"name": "Dogs", "description": "Bark"}
 * ```
 */
export const aNewCategory = (fields: Partial<NewCategory> = {}): NewCategory => ({ name: "Dogs", ...fields })

/**
 * The input of a new pet of category 1. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { aNewPet } from "@petstore/testing"
 *
 * aNewPet({ name: "Tom" }) // => {"name": "Tom", "categoryId": 1}
 * ```
 */
export const aNewPet = (fields: Partial<NewPet> = {}): NewPet => ({ name: "Rex", categoryId: 1, ...fields })

/**
 * The input of a new order of one unit of pet 1. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { aNewOrder } from "@petstore/testing"
 *
 * aNewOrder({ quantity: 3 }) // => {"petId": 1, "quantity": 3}
 * ```
 */
export const aNewOrder = (fields: Partial<NewOrder> = {}): NewOrder => ({ petId: 1, quantity: 1, ...fields })

/**
 * The stock of a pet: one free unit. For tests of rules, which need no petstore. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { StockRules } from "@petstore/core/domain"
 * import { aStock } from "@petstore/testing"
 *
 * StockRules.statusOf(aStock({ onHand: 3, reserved: 3 })) // => "pending"
 * ```
 */
export const aStock = (fields: Partial<Stock> = {}): Stock => ({ onHand: 1, reserved: 0, held: false, ...fields })

const at = "2030-01-01T00:00:00.000Z"

/**
 * Category 1, Dogs, as the petstore returns it. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { aCategory } from "@petstore/testing"
 *
 * aCategory({ id: 2 }) // => {"id": 2, "name": "Dogs"}
 * ```
 */
export const aCategory = (fields: Partial<Category> = {}): Category => ({ id: 1, name: "Dogs", ...fields })

/**
 * Pet 1 of category 1, as the petstore returns it. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { aPet } from "@petstore/testing"
 *
 * aPet({ status: "sold" }) // => {"id": 1, "name": "Rex", "categoryId": 1, "status": "sold"}
 * ```
 */
export const aPet = (fields: Partial<Pet> = {}): Pet & Required<Pick<Pet, "status">> => ({
  id: 1,
  name: "Rex",
  categoryId: 1,
  status: "available",
  ...fields
})

/**
 * The inventory item of pet 1 with one free unit, or of this pet and stock.
 *
 * @example
 * ```ts
 * import { anInventoryItem } from "@petstore/testing"
 *
 * anInventoryItem({ onHand: 3, reserved: 1 }).available // => 2
 * ```
 */
export const anInventoryItem = (stock: Partial<Stock> = {}, petId = 1): Required<InventoryItem> =>
  toInventoryItem(petId, aStock(stock))

/**
 * Order 1 of one unit of pet 1, as the petstore returns it. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { anOrder } from "@petstore/testing"
 *
 * anOrder({ complete: true }) // => {"id": 1, "petId": 1, "quantity": 1, "complete": true}
 * ```
 */
export const anOrder = (fields: Partial<Order> = {}): Order => ({
  id: 1,
  petId: 1,
  quantity: 1,
  complete: false,
  ...fields
})

/**
 * An event as the log stores it: the first one, unless `seq` is given.
 *
 * @example
 * ```ts
 * import { anEvent, aPet } from "@petstore/testing"
 *
 * const data = { ...aPet(), version: 1 }
 * anEvent({ type: "pet.created", subject: "pets/1", data }, 7).id // => "evt_7"
 * ```
 */
export const anEvent = <E extends NewEvent>(event: E, seq = 1): E & Pick<EventRecord, "id" | "seq" | "timestamp"> => ({
  ...event,
  seq,
  id: `evt_${seq}`,
  timestamp: at
})

/**
 * Category 1, Dogs, as a storage keeps it. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { aCategoryRecord } from "@petstore/testing"
 *
 * aCategoryRecord({ name: "Cats" }).nameKey // => "cats"
 * ```
 */
export const aCategoryRecord = (fields: Partial<Category> = {}): CategoryRecord => {
  const category = aCategory(fields)
  return { category, nameKey: nameKey(category.name), version: 1, createdAt: at, updatedAt: at, deleted: false }
}

/**
 * Pet 1 of category 1 with one free unit, as a storage keeps it. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { aPetRecord, aStock } from "@petstore/testing"
 *
 * aPetRecord({ stock: aStock({ onHand: 5 }) }).lastMovement // => 1
 * ```
 */
export const aPetRecord = (fields: Partial<PetRecord> = {}): PetRecord => ({
  id: 1,
  name: "Rex",
  categoryId: 1,
  version: 1,
  stock: aStock(),
  stockVersion: 1,
  lastMovement: 1,
  createdAt: at,
  updatedAt: at,
  deleted: false,
  ...fields
})

/**
 * Order 1, open, of one unit of pet 1, as a storage keeps it. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { anOrderRecord } from "@petstore/testing"
 *
 * anOrderRecord({ order: { state: "draft" } }).order // => {"state": "draft"}
 * ```
 */
export const anOrderRecord = (fields: Partial<OrderRecord> = {}): OrderRecord => ({
  id: 1,
  version: 1,
  order: { state: "open", petId: 1, quantity: 1 },
  createdAt: at,
  updatedAt: at,
  ...fields
})

/**
 * The first movement in the ledger of pet 1, which gives it one unit. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { aMovement } from "@petstore/testing"
 *
 * aMovement({ seq: 2, kind: "set", deltaOnHand: 4 }).petId // => 1
 * ```
 */
export const aMovement = (fields: Partial<Movement> = {}): Movement => ({
  petId: 1,
  seq: 1,
  kind: "initial",
  deltaOnHand: 1,
  deltaReserved: 0,
  actor: "owner",
  at,
  ...fields
})
