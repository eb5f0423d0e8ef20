import {
  CancelReason,
  IncludedOrderRecord,
  limits,
  NewOrders,
  Order,
  OrderFilter,
  OrderUpdate,
  Reservation
} from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { luna, order, recordParameterDocs, reservation, texts } from "./examples.ts"
import { operation } from "./operation.ts"
import {
  BooleanParameter,
  countParameter,
  IdParameter,
  includeParameter,
  pageParameters,
  recordParameters,
  wholeNumber,
  withRecord
} from "./parameters.ts"

const params = { orderId: IdParameter }

const ShownOrder = withRecord("ShownOrder", Order, IncludedOrderRecord)

const reserveFor = { reserveFor: Schema.optionalKey(wholeNumber(1, limits.reservation)) }

const reserveForDocs = {
  description:
    "How long the order holds its units, in milliseconds. It then expires unless it was completed. Default: the time set for the store. A caller limited to their own orders cannot ask for more than this. Beta.",
  example: 900_000
}

const listOrders = operation("listOrders", "GET", "/store/orders", {
  useCase: "orders.list",
  query: {
    petId: Schema.optionalKey(IdParameter),
    complete: Schema.optionalKey(BooleanParameter),
    state: OrderFilter.fields.state,
    sort: OrderFilter.fields.sort,
    ...recordParameters,
    ...includeParameter,
    ...countParameter,
    ...pageParameters
  },
  success: Schema.Array(ShownOrder),
  scopes: ["orders:read"],
  ownScope: "orders:own",
  ownersScope: "orders:owners"
})
export const listOrdersDocs = (): OperationDocs<typeof listOrders> => ({
  summary: "List orders",
  description:
    "Returns a page of orders, sorted by id unless `sort` or a filter by time says otherwise. Orders that were cancelled or have expired are included only if `state` asks for them. They are listed as long as the event of their end is kept; with `include=record`, each shows how it ended.",
  query: {
    petId: { description: "Only orders for this pet. Not with lists by time." },
    complete: { description: "Only complete orders (`true`), or only orders that are not complete (`false`)." },
    state: {
      description:
        "Only orders in this state: drafts have no pet yet, open orders reserve units. Default: every state but `cancelled` and `expired`.",
      example: "open"
    },
    sort: {
      description:
        "The order: by id, or by a time and then by id; `-` is for descending. A cursor works only with the same order.",
      example: "-id"
    },
    ...recordParameterDocs,
    include: { description: texts.include },
    count: { description: texts.count }
  },
  success: "A page of orders.",
  response: [order],
  stability: "stable",
  tryOut: false
})

const placeOrder = operation("placeOrder", "POST", "/store/orders", {
  useCase: "orders.place",
  query: reserveFor,
  body: Order,
  success: Order,
  status: 201,
  scopes: ["orders:write"],
  ownScope: "orders:own",
  bodyScope: { field: "complete", scope: "orders:fulfil" },
  idempotencyKey: "honoured",
  entityTag: "version",
  location: "/store/orders/:id"
})
export const placeOrderDocs = (): OperationDocs<typeof placeOrder> => ({
  summary: "Place an order",
  description:
    "Places an order. Without a `petId` it is a draft and reserves nothing. With a `petId` it reserves all of its units or fails; it never reserves fewer. With `complete: true` it ships immediately.",
  query: { reserveFor: reserveForDocs },
  request: { petId: order.petId, quantity: order.quantity },
  success: "The order was placed.",
  response: order,
  stability: "stable"
})

const placeOrders = operation("placeOrders", "POST", "/store/orders/batch", {
  useCase: "orders.placeAll",
  query: reserveFor,
  body: NewOrders,
  success: Schema.Array(Order),
  status: 201,
  scopes: ["orders:write"],
  ownScope: "orders:own",
  bodyScope: { field: "complete", of: "orders", scope: "orders:fulfil" },
  idempotencyKey: "honoured"
})
export const placeOrdersDocs = (): OperationDocs<typeof placeOrders> => ({
  summary: "Place several orders",
  description:
    "Places all of the orders, such as those of a shopping cart, or none of them. Each order sees the ones before it, so that two orders of one pet share its stock. The error is that of the first rejected order; `details.index` is its place in `orders`, from 0.",
  query: { reserveFor: reserveForDocs },
  request: { orders: [{ petId: luna.id, quantity: order.quantity }, { petId: luna.id }] },
  success: "All of the orders were placed. They are in the order of the request.",
  response: [
    { ...order, id: 2, petId: luna.id },
    { id: 3, petId: luna.id, quantity: 1, complete: false }
  ],
  stability: "beta"
})

const getOrder = operation("getOrder", "GET", "/store/orders/:orderId", {
  useCase: "orders.get",
  params,
  query: includeParameter,
  success: ShownOrder,
  scopes: ["orders:read"],
  ownScope: "orders:own",
  ownersScope: "orders:owners",
  entityTag: "version"
})
export const getOrderDocs = (): OperationDocs<typeof getOrder> => ({
  summary: "Get an order",
  description: "Returns an order. A cancelled order is `not_found`.",
  query: { include: { description: texts.include } },
  success: "The order.",
  response: order,
  stability: "stable"
})

const updateOrder = operation("updateOrder", "PATCH", "/store/orders/:orderId", {
  useCase: "orders.update",
  params,
  body: OrderUpdate,
  success: Order,
  scopes: ["orders:write"],
  ownScope: "orders:own",
  idempotencyKey: "honoured",
  bodyScope: { field: "complete", scope: "orders:fulfil", sufficesAlone: true },
  entityTag: "version"
})
export const updateOrderDocs = (): OperationDocs<typeof updateOrder> => ({
  summary: "Update or complete an order",
  description: `${texts.update} A draft that receives a \`petId\` reserves its units. Changing the pet or the quantity of an open order changes its reservation. \`complete: true\` ships the order; it cannot be changed afterwards.`,
  request: { quantity: 3 },
  success: "The order after the change.",
  response: { ...order, quantity: 3 },
  stability: "stable"
})

const cancelOrder = operation("cancelOrder", "DELETE", "/store/orders/:orderId", {
  useCase: "orders.cancel",
  params,
  query: { reason: Schema.optionalKey(CancelReason) },
  scopes: ["orders:write"],
  ownScope: "orders:own",
  idempotencyKey: "honoured",
  entityTag: "version"
})
export const cancelOrderDocs = (): OperationDocs<typeof cancelOrder> => ({
  summary: "Cancel an order",
  description: "Cancels an order that is not complete and releases its units.",
  query: {
    reason: {
      description: "Why, for lists of cancelled orders: one line of 1 to 200 characters, which the customer sees too.",
      example: "Found it in a shop nearby"
    }
  },
  success: "The order was cancelled.",
  stability: "stable"
})

const getReservation = operation("getReservation", "GET", "/store/orders/:orderId/reservation", {
  useCase: "orders.reservation",
  params,
  success: Reservation,
  scopes: ["orders:read"],
  ownScope: "orders:own",
  entityTag: "reservation"
})
export const getReservationDocs = (): OperationDocs<typeof getReservation> => ({
  summary: "Get the reservation of an order",
  description: "Returns when an order expires. Fails with `not_found` if it does not expire.",
  success: "The reservation.",
  response: reservation,
  stability: "beta"
})

const setReservation = operation("setReservation", "PUT", "/store/orders/:orderId/reservation", {
  useCase: "orders.setReservation",
  params,
  query: reserveFor,
  success: Reservation,
  scopes: ["orders:write"],
  idempotencyKey: "honoured",
  entityTag: "reservation"
})
export const setReservationDocs = (): OperationDocs<typeof setReservation> => ({
  summary: "Set the reservation of an order",
  description:
    "Sets how long an open order holds its units, starting now. The order and its version stay as they are. Without `reserveFor`, the time set for the store applies; if there is none, it fails with `validation_failed`. `If-None-Match: *` sets a reservation only if the order does not expire.",
  // A store with the option `reservations` takes its own.
  query: { reserveFor: { ...reserveForDocs, required: true } },
  success: "The reservation.",
  response: reservation,
  stability: "beta"
})

const removeReservation = operation("removeReservation", "DELETE", "/store/orders/:orderId/reservation", {
  useCase: "orders.removeReservation",
  params,
  scopes: ["orders:write"],
  idempotencyKey: "honoured",
  entityTag: "reservation"
})
export const removeReservationDocs = (): OperationDocs<typeof removeReservation> => ({
  summary: "Remove the end of a reservation",
  description: "Lets an open order hold its units until it is completed or cancelled.",
  success: "The order does not expire.",
  stability: "beta"
})

export const ordersDocs = () => {
  const fields = {
    id: "Unique order identifier.",
    petId: "The ID of the animal in this order.",
    quantity: "Number of units ordered.",
    shipDate: "Expected or actual ship date in ISO 8601 format.",
    complete: "Whether the order has been fulfilled."
  }
  return {
    parameters: { orderId: { description: "The order.", example: order.id } },
    schemas: [
      describeSchema(
        Order,
        "An order. Without a pet it is a draft and reserves nothing; with a pet it is open and reserves its units (1 if `quantity` is absent). A complete order cannot be changed.",
        fields,
        ["id"]
      ),
      describeSchema(
        ShownOrder,
        "An order, with its record if `include=record` is sent.",
        { ...fields, record: texts.record },
        ["id"]
      ),
      describeSchema(NewOrders, "Orders to place together: all of them, or none.", {
        orders: "The orders, 1 to 100. Each sees the ones before it."
      }),
      describeSchema(
        OrderUpdate,
        `Changes to an order. ${texts.partial} A \`shipDate\` of null removes the date.`,
        fields,
        ["id"]
      ),
      describeSchema(Reservation, "Until when an open order holds its units.", {
        orderId: "The order.",
        expiresAt: "When it expires, unless it is completed before."
      })
    ]
  }
}

export const ordersOperations = {
  tag: "Store",
  operations: [
    listOrders,
    placeOrder,
    placeOrders,
    getOrder,
    updateOrder,
    cancelOrder,
    setReservation,
    getReservation,
    removeReservation
  ]
}
