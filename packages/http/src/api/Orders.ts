import { Order, OrderUpdate } from "@petstore/core/domain"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { BodyScope, EntityTag, Errors, HostRules, IdempotencyKey, Location, Marks, Scopes } from "./annotations.ts"
import { BooleanParameter, IdParameter, pageParameters } from "./parameters.ts"

const params = { orderId: IdParameter }

const listOrders = HttpApiEndpoint.get("listOrders", "/store/orders", {
  disableCodecs: true,
  query: {
    petId: Schema.optionalKey(IdParameter),
    complete: Schema.optionalKey(BooleanParameter),
    ...pageParameters
  },
  success: Schema.Array(Order)
})
  .annotate(OpenApi.Summary, "List orders")
  .annotate(Scopes, ["orders:read"])
  .annotate(Marks, { tryOut: false })

const placeOrder = HttpApiEndpoint.post("placeOrder", "/store/orders", {
  disableCodecs: true,
  payload: Order,
  success: Order.pipe(HttpApiSchema.status(201))
})
  .annotate(OpenApi.Summary, "Place an order")
  .annotate(Scopes, ["orders:write"])
  .annotate(BodyScope, { field: "complete", scope: "orders:fulfil" })
  .annotate(IdempotencyKey, "honoured")
  .annotate(EntityTag, "version")
  .annotate(Location, "/store/orders/:id")
  .annotate(Errors, ["unknown_pet", "insufficient_stock", "pet_not_available", "order_is_draft"])
  .annotate(HostRules, true)

const getOrder = HttpApiEndpoint.get("getOrder", "/store/orders/:orderId", {
  disableCodecs: true,
  params,
  success: Order
})
  .annotate(OpenApi.Summary, "Read an order")
  .annotate(Scopes, ["orders:read"])
  .annotate(EntityTag, "version")
  .annotate(Errors, ["not_found"])

const updateOrder = HttpApiEndpoint.patch("updateOrder", "/store/orders/:orderId", {
  disableCodecs: true,
  params,
  payload: OrderUpdate,
  success: Order
})
  .annotate(OpenApi.Summary, "Change or complete an order")
  .annotate(Scopes, ["orders:write"])
  .annotate(BodyScope, { field: "complete", scope: "orders:fulfil", sufficesAlone: true })
  .annotate(EntityTag, "version")
  .annotate(Errors, [
    "not_found",
    "order_already_complete",
    "order_is_draft",
    "unknown_pet",
    "insufficient_stock",
    "pet_not_available"
  ])
  .annotate(HostRules, true)

const cancelOrder = HttpApiEndpoint.delete("cancelOrder", "/store/orders/:orderId", { disableCodecs: true, params })
  .annotate(OpenApi.Summary, "Cancel an order")
  .annotate(Scopes, ["orders:write"])
  .annotate(EntityTag, "version")
  .annotate(Errors, ["not_found", "order_already_complete"])
  .annotate(HostRules, true)

/** The orders for animals. */
export class OrdersGroup extends HttpApiGroup.make("orders")
  .add(listOrders, placeOrder, getOrder, updateOrder, cancelOrder)
  .annotate(OpenApi.Title, "Store") {}
