import { type EventShape, eventShapes, fieldsOf } from "@petstore/core/adapter-toolkit"
import type { EventType } from "@petstore/core/domain"

/** How the data of an event is stored: the values of these fields, in this order. */
export interface EventForm {
  /** What the column `type` has for it. */
  readonly code: string
  readonly type: EventType
  /** The subject of an event is this and its first value. */
  readonly collection: string
  readonly fields: ReadonlyArray<string>
  /** Whether it has the id of an order and then that of its pet. */
  readonly isOfOrder: boolean
  /** Makes the data of the values. */
  readonly shape: EventShape
}

const { datedOrder, message, only, order, pet, petBefore, sentMessage, stock } = eventShapes

// The place of a form is its code in files, so a form is never changed or removed. A new one goes to the end, with a migration
// that keeps releases that do not know it from opening the file.
const forms: ReadonlyArray<readonly [type: EventType, collection: string, shape: EventShape]> = [
  ["inventory.updated", "inventory", stock],
  ["pet.created", "pets", pet],
  ["pet.updated", "pets", pet],
  ["pet.status_changed", "pets", petBefore],
  ["pet.deleted", "pets", only],
  ["order.placed", "orders", order],
  ["order.placed", "orders", datedOrder],
  ["order.updated", "orders", order],
  ["order.updated", "orders", datedOrder],
  ["order.completed", "orders", datedOrder],
  ["order.cancelled", "orders", only],
  ["message.queued", "messages", message],
  ["message.delivered", "messages", sentMessage],
  ["message.deleted", "messages", only]
]

export const eventForms: ReadonlyArray<EventForm> = forms.map(([type, collection, shape], index) => ({
  code: index.toString(36),
  type,
  collection: `${collection}/`,
  fields: fieldsOf(shape),
  isOfOrder: "petId" in shape([], 0) && collection === "orders",
  shape
}))
