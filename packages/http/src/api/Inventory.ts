import { InventoryFilter, InventoryItem, InventoryUpdate, Movement } from "@petstore/core/domain"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { EntityTag, Errors, Marks, Scopes } from "./annotations.ts"
import { IdParameter, pageParameters } from "./parameters.ts"

const params = { petId: IdParameter }

const listInventory = HttpApiEndpoint.get("listInventory", "/inventory", {
  disableCodecs: true,
  query: { status: InventoryFilter.fields.status, ...pageParameters },
  success: Schema.Array(InventoryItem)
})
  .annotate(OpenApi.Summary, "List stock")
  .annotate(Scopes, ["inventory:read"])

const getInventoryItem = HttpApiEndpoint.get("getInventoryItem", "/inventory/:petId", {
  disableCodecs: true,
  params,
  success: InventoryItem
})
  .annotate(OpenApi.Summary, "Read the stock of a pet")
  .annotate(Scopes, ["inventory:read"])
  .annotate(EntityTag, "stock")
  .annotate(Errors, ["not_found"])

const updateInventoryItem = HttpApiEndpoint.patch("updateInventoryItem", "/inventory/:petId", {
  disableCodecs: true,
  params,
  payload: InventoryUpdate,
  success: InventoryItem
})
  .annotate(OpenApi.Summary, "Set the stock of a pet")
  .annotate(Scopes, ["inventory:write"])
  .annotate(EntityTag, "stock")
  .annotate(Errors, ["not_found", "quantity_below_reserved"])

const listMovements = HttpApiEndpoint.get("listMovements", "/inventory/:petId/movements", {
  disableCodecs: true,
  params,
  query: pageParameters,
  success: Schema.Array(Movement)
})
  .annotate(OpenApi.Summary, "Read the stock ledger of a pet")
  .annotate(Scopes, ["inventory:read"])
  .annotate(Errors, ["not_found"])
  .annotate(Marks, { stability: "beta" })

/** The stock of each pet. */
export class InventoryGroup extends HttpApiGroup.make("inventory")
  .add(listInventory, getInventoryItem, updateInventoryItem, listMovements)
  .annotate(OpenApi.Title, "Store") {}
