import { InventoryFilter, InventoryItem, InventoryUpdate, Movement, MovementKind } from "@petstore/core/domain"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { apiKey, order, stock } from "./examples.ts"
import { operation } from "./operation.ts"
import { IdParameter, pageParameters } from "./parameters.ts"

const params = { petId: IdParameter }

const listInventory = operation("listInventory", "GET", "/inventory", {
  useCase: "inventory.list",
  query: { status: InventoryFilter.fields.status, ...pageParameters },
  success: Schema.Array(InventoryItem),
  scopes: ["inventory:read"]
})
export const listInventoryDocs = (): OperationDocs<typeof listInventory> => ({
  summary: "List stock",
  description: "Returns a page of the stock of all pets, sorted by pet id.",
  query: { status: { description: "Only the stock of pets with this status." } },
  success: "A page of stock.",
  response: [stock],
  errors: [],
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
  errors: ["not_found"],
  stability: "stable"
})

const updateInventoryItem = operation("updateInventoryItem", "PATCH", "/inventory/:petId", {
  useCase: "inventory.set",
  params,
  payload: InventoryUpdate,
  success: InventoryItem,
  scopes: ["inventory:write"],
  idempotencyKey: "honoured",
  entityTag: "stock"
})
export const updateInventoryItemDocs = (): OperationDocs<typeof updateInventoryItem> => ({
  summary: "Set the stock of a pet",
  description:
    "Sets the number of units on hand. Rejected below the number of units that open orders reserve. At 0 the pet becomes `sold`; above 0 it can be ordered again.",
  request: { quantity: 10 },
  success: "The stock after the change.",
  response: { ...stock, quantity: 10, available: 8 },
  errors: ["not_found", "quantity_below_reserved"],
  stability: "stable"
})

const listMovements = operation("listMovements", "GET", "/inventory/:petId/movements", {
  useCase: "inventory.movements",
  params,
  query: pageParameters,
  success: Schema.Array(Movement),
  scopes: ["inventory:read"],
  allOrdersScope: "orders:read"
})
export const listMovementsDocs = (): OperationDocs<typeof listMovements> => ({
  summary: "List the stock movements of a pet",
  description: "Returns a page of the stock ledger of a pet, oldest entry first.",
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
      kind: "reserved",
      deltaOnHand: 0,
      deltaReserved: 2,
      orderId: order.id,
      actor: `key:${apiKey.id}`,
      at: "2026-05-04T09:30:00.000Z"
    }
  ],
  errors: ["not_found"],
  stability: "beta"
})

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
      at: "When the change was made."
    }),
    describeSchema(
      MovementKind,
      "`initial`: the pet was created. `set`: the stock was set. `held`, `unheld`: a hold began or ended. `reserved`: an order reserved units. `unreserved`: a changed order released units. `shipped`: an order was completed. `cancelled`: an order was cancelled. `expired`: an order expired. `written_off`: the pet was marked as sold. `removed`: the pet was deleted."
    )
  ]
})

/** The operations on stock. */
export class InventoryGroup extends HttpApiGroup.make("inventory")
  .add(listInventory, getInventoryItem, updateInventoryItem, listMovements)
  .annotate(OpenApi.Title, "Store") {}
