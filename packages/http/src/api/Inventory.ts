import {
  AdjustmentReason,
  InventoryAdjustment,
  InventoryAdjustments,
  InventoryCount,
  InventoryCounts,
  InventoryFilter,
  InventoryItem,
  InventoryUpdate,
  limits,
  Movement,
  MovementKind,
  MovementQuery,
  PetAdjustment
} from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { apiKey, luna, stock } from "./examples.ts"
import { operation } from "./operation.ts"
import { IdParameter, pageParameters, wholeNumberFrom0 } from "./parameters.ts"

const params = { petId: IdParameter }

const listInventory = operation("listInventory", "GET", "/inventory", {
  useCase: "inventory.list",
  query: {
    sort: InventoryFilter.fields.sort,
    status: InventoryFilter.fields.status,
    maxAvailable: Schema.optionalKey(wholeNumberFrom0(limits.stock)),
    ...pageParameters
  },
  success: Schema.Array(InventoryItem),
  scopes: ["inventory:read"]
})
export const listInventoryDocs = (): OperationDocs<typeof listInventory> => ({
  summary: "List stock",
  description:
    "Returns a page of the stock of all pets, sorted by pet id, or by the units that can be ordered and then by pet id.",
  query: {
    sort: {
      description:
        "The order: `id`, `available`, or these with `-` for descending. A cursor works only with the same order. `available` needs its index: see `not_indexed`. Beta. Default: `id`.",
      example: "-id"
    },
    status: { description: "Only the stock of pets with this status." },
    maxAvailable: {
      description:
        "Only pets of which at most this many units can be ordered. A page looks at 1,000 pets at most, so it may be short: only one without a next link is the last. With `sort=available`, pages are full.",
      example: 5
    }
  },
  success: "A page of stock.",
  response: [stock],
  stability: "stable"
})

const getInventoryItem = operation("getInventoryItem", "GET", "/inventory/:petId", {
  useCase: "inventory.get",
  params,
  success: InventoryItem,
  scopes: ["inventory:read"],
  entityTag: "stock"
})
export const getInventoryItemDocs = (): OperationDocs<typeof getInventoryItem> => ({
  summary: "Get the stock of a pet",
  description: "Returns the stock of a pet.",
  success: "The stock of the pet.",
  response: stock,
  stability: "stable"
})

const updateInventoryItem = operation("updateInventoryItem", "PATCH", "/inventory/:petId", {
  useCase: "inventory.set",
  params,
  body: InventoryUpdate,
  success: InventoryItem,
  scopes: ["inventory:write"],
  idempotencyKey: "honoured",
  entityTag: "stock"
})
export const updateInventoryItemDocs = (): OperationDocs<typeof updateInventoryItem> => ({
  summary: "Set the stock of a pet",
  description:
    "Sets the number of units on hand. Fails with `quantity_below_reserved` if open orders reserve more units. At 0 the pet becomes `sold`; above 0 it can be ordered again.",
  request: { quantity: 10 },
  success: "The stock after the change.",
  response: { ...stock, quantity: 10, available: 8 },
  stability: "stable"
})

const adjustInventory = operation("adjustInventory", "POST", "/inventory/:petId/adjustments", {
  useCase: "inventory.adjust",
  params,
  body: InventoryAdjustment,
  success: InventoryItem,
  scopes: ["inventory:write"],
  idempotencyKey: "honoured",
  entityTag: "stock"
})
export const adjustInventoryDocs = (): OperationDocs<typeof adjustInventory> => ({
  summary: "Adjust the stock of a pet",
  description:
    "Adds units on hand, or takes them away. Of two concurrent adjustments, none is lost. The stock ledger keeps the reason, note, reference and time. Fails with `quantity_below_reserved` if open orders reserve more units than would be left.",
  request: { delta: 5, reason: "received", note: "Delivery 4711" },
  success: "The stock after the adjustment.",
  response: { ...stock, quantity: 10, available: 8 },
  stability: "beta"
})

const setInventory = operation("setInventory", "POST", "/inventory/batch", {
  useCase: "inventory.setAll",
  body: InventoryCounts,
  success: Schema.Array(InventoryItem),
  scopes: ["inventory:write"],
  idempotencyKey: "honoured"
})
export const setInventoryDocs = (): OperationDocs<typeof setInventory> => ({
  summary: "Set the stock of several pets",
  description: `Sets the units on hand of 1 to ${limits.batch} pets: of all of them, or of none if one is rejected. \`details.index\` of the error is the place of that pet in the request, from 0.`,
  request: {
    items: [
      { petId: stock.petId, quantity: 10 },
      { petId: luna.id, quantity: 5 }
    ]
  },
  success: "The stock of these pets after the change, in the order of the request.",
  response: [
    { ...stock, quantity: 10, available: 8 },
    { petId: luna.id, quantity: 5, status: "available", reserved: 0, available: 5 }
  ],
  stability: "beta"
})

const adjustSeveral = operation("adjustSeveral", "POST", "/inventory/adjustments", {
  useCase: "inventory.adjustAll",
  body: InventoryAdjustments,
  success: Schema.Array(InventoryItem),
  scopes: ["inventory:write"],
  idempotencyKey: "honoured"
})
export const adjustSeveralDocs = (): OperationDocs<typeof adjustSeveral> => ({
  summary: "Adjust several stocks",
  description: `Makes 1 to ${limits.batch} adjustments in their order: all of them, or none if one is rejected. A pet may have several. \`details.index\` of the error is the place of that adjustment in the request, from 0.`,
  request: {
    adjustments: [
      { petId: stock.petId, delta: 5, reason: "received", reference: "D-4711", occurredAt: "2026-05-04T09:15:00.000Z" },
      { petId: luna.id, delta: 2, reason: "returned" }
    ]
  },
  success: "The stock after each adjustment, in the order of the request.",
  response: [
    { ...stock, quantity: 10, available: 8 },
    { petId: luna.id, quantity: 2, status: "available", reserved: 0, available: 2 }
  ],
  stability: "beta"
})

const listMovements = operation("listMovements", "GET", "/inventory/:petId/movements", {
  useCase: "inventory.movements",
  params,
  query: { sort: MovementQuery.fields.sort, ...pageParameters },
  success: Schema.Array(Movement),
  scopes: ["inventory:read"],
  allOrdersScope: "orders:read"
})
export const listMovementsDocs = (): OperationDocs<typeof listMovements> => ({
  summary: "List the stock movements of a pet",
  description: "Returns a page of the stock ledger of a pet, oldest entry first.",
  query: {
    sort: {
      description: "`seq`, or `-seq` for the newest first. A cursor works only with the same order. Default: `seq`.",
      example: "-seq"
    }
  },
  success: "A page of the stock ledger.",
  response: [
    {
      petId: stock.petId,
      seq: 1,
      kind: "initial",
      deltaOnHand: 1,
      deltaReserved: 0,
      actor: `key:${apiKey.id}`,
      at: "2026-05-04T09:10:00.000Z"
    },
    {
      petId: stock.petId,
      seq: 2,
      kind: "set",
      deltaOnHand: 4,
      deltaReserved: 0,
      actor: `key:${apiKey.id}`,
      at: "2026-05-04T09:15:00.000Z"
    },
    {
      petId: stock.petId,
      seq: 3,
      kind: "received",
      deltaOnHand: 5,
      deltaReserved: 0,
      actor: `key:${apiKey.id}`,
      at: "2026-05-04T09:30:00.000Z",
      note: "Delivery 4711"
    }
  ],
  stability: "stable"
})

const adjustmentFields = {
  delta: "The units to add; below 0, the units to take away. 0 changes nothing.",
  reason: "Why the stock changes.",
  note: "One line for people who read the stock ledger.",
  reference: "What the change belongs to in your system, such as the number of a delivery.",
  occurredAt: "When the change happened, if that is not when it is recorded."
}

export const inventoryDocs = () => ({
  parameters: {},
  schemas: [
    describeSchema(
      InventoryItem,
      "The stock of a pet. The reserved units are part of `quantity`.",
      {
        petId: "The ID of the animal this entry tracks.",
        quantity: "Current stock count.",
        status: "Status of the entry.",
        reserved: "Units reserved by open orders.",
        available: "Units that can be ordered now: 0 while the pet is on hold."
      },
      ["reserved", "available"]
    ),
    describeSchema(InventoryUpdate, "The new stock of a pet.", { quantity: "The new stock count." }),
    describeSchema(Movement, "One entry of the append-only stock ledger.", {
      petId: "The animal whose stock changed.",
      seq: "The number of the entry in the ledger of the animal: 1, 2, 3, and so on.",
      kind: "Why the stock changed.",
      deltaOnHand: "The change in units on hand.",
      deltaReserved: "The change in reserved units.",
      orderId: "The order that caused the change, if there is one.",
      actor: "Who made the change, such as `key:1`.",
      at: "When the change was made.",
      note: "The note of the adjustment, if it has one.",
      reference: "The reference of the adjustment, if it has one.",
      occurredAt: "When the adjustment happened, if its caller said so."
    }),
    describeSchema(
      InventoryAdjustment,
      "Units to add to the stock of a pet, or to take away. Each reason goes with either sign: to undo an entry, send it again with the opposite `delta`.",
      adjustmentFields
    ),
    describeSchema(
      AdjustmentReason,
      "`received`: units arrived. `damaged`: units can no longer be sold. `returned`: a customer returned units. `correction`: a count found another number."
    ),
    describeSchema(PetAdjustment, "One of several adjustments.", {
      petId: "The pet.",
      ...adjustmentFields
    }),
    describeSchema(InventoryAdjustments, "Adjustments of the stock of several pets.", {
      adjustments: "The adjustments, in their order."
    }),
    describeSchema(InventoryCount, "The new stock of one of several pets.", {
      petId: "The animal. No two entries have the same one.",
      quantity: "The new stock count.",
      ifVersion: "Set only this version of the stock: the number in its entity tag."
    }),
    describeSchema(InventoryCounts, "The new stock of several pets.", { items: "The stock of each pet." }),
    describeSchema(
      MovementKind,
      "`initial`: the pet was created. `set`: the stock was set. `held`, `unheld`: a hold began or ended. `reserved`: an order reserved units. `unreserved`: a changed order released units. `shipped`: an order was completed. `cancelled`: an order was cancelled. `expired`: an order expired. `written_off`: the pet was marked as sold. `removed`: the pet was deleted. `received`, `damaged`, `returned`, `correction`: the stock was adjusted for this reason."
    )
  ]
})

export const inventoryOperations = {
  tag: "Store",
  operations: [
    listInventory,
    getInventoryItem,
    updateInventoryItem,
    adjustInventory,
    setInventory,
    adjustSeveral,
    listMovements
  ]
}
