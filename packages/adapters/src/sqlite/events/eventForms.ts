import type { EventType } from "@petstore/core/domain"

type Values = ReadonlyArray<unknown>

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
  /** The data of these values. */
  readonly dataOf: (values: Values) => object
}

const stock = ([petId, quantity, status, reserved, available, held, version]: Values) => ({
  petId,
  quantity,
  status,
  reserved,
  available,
  held,
  version
})
const pet = ([id, name, categoryId, status, version]: Values) => ({ id, name, categoryId, status, version })
const petBefore = ([id, name, categoryId, status, version, previous]: Values) => ({
  id,
  name,
  categoryId,
  status,
  version,
  previous
})
const order = ([id, petId, quantity, complete, state, version]: Values) => ({
  id,
  petId,
  quantity,
  complete,
  state,
  version
})
const datedOrder = ([id, petId, quantity, shipDate, complete, state, version]: Values) => ({
  id,
  petId,
  quantity,
  shipDate,
  complete,
  state,
  version
})
const message = ([id, text, status, createdAt]: Values) => ({ id, message: text, status, createdAt })
const sentMessage = ([id, text, status, createdAt, attempts, deliveredAt]: Values) => ({
  id,
  message: text,
  status,
  createdAt,
  attempts,
  deliveredAt
})
const only = ([id]: Values) => ({ id })

// The place of a form is its code in files, so a form is never changed or removed. A new one goes to the end, with a migration
// that keeps releases that do not know it from opening the file.
const forms: ReadonlyArray<readonly [type: EventType, collection: string, dataOf: EventForm["dataOf"]]> = [
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

export const eventForms: ReadonlyArray<EventForm> = forms.map(([type, collection, dataOf], index) => ({
  code: index.toString(36),
  type,
  collection: `${collection}/`,
  fields: Object.keys(dataOf([])),
  isOfOrder: "petId" in dataOf([]) && collection === "orders",
  dataOf
}))
