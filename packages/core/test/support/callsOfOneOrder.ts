import type { PetstoreApi } from "../../src/petstore/PetstoreApi.ts"
import type { OrderMethods } from "../../src/programs/orders/Orders.ts"

/** A call that names an order by its id. */
export type CallOfOneOrder = (petstore: PetstoreApi, orderId: number) => Promise<unknown>

/** The methods of orders that take the id of one. */
type Named = {
  [Name in keyof OrderMethods]: Parameters<OrderMethods[Name]>[0] extends number ? Name : never
}[keyof OrderMethods]

const methods: Readonly<Record<Named, CallOfOneOrder>> = {
  get: ({ orders }, id) => orders.get(id),
  update: ({ orders }, id) => orders.update(id, { quantity: 2 }),
  complete: ({ orders }, id) => orders.complete(id),
  cancel: ({ orders }, id) => orders.cancel(id),
  reservation: ({ orders }, id) => orders.reservation(id),
  setReservation: ({ orders }, id) => orders.setReservation(id, { reserveFor: "1 hour" }),
  removeReservation: ({ orders }, id) => orders.removeReservation(id)
}

/** Every call that names an order by its id, by what it does. */
export const callsOfOneOrder: Readonly<Record<string, CallOfOneOrder>> = {
  ...methods,
  "update with an idempotency key": ({ orders }, id) => orders.update(id, { quantity: 2 }, { idempotencyKey: "once" }),
  "update at a version": ({ orders }, id) => orders.update(id, { quantity: 2 }, { ifVersion: 1 }),
  "update to another pet": ({ orders }, id) => orders.update(id, { petId: 1, quantity: 3 }),
  "records.get": ({ records }, id) => records.get("orders", id),
  "records.update": ({ records }, id) => records.update("orders", id, { externalId: "B" }),
  "events.list": async ({ events }, id) => events.list({ subject: `orders/${id}` })
}
