import * as Schema from "effect/Schema"

/** Every type of event. A new one is added at the end, since SQLite files contain the places of types, and to the table of `Event.ts`. */
export const EventType = Schema.Literals([
  "pet.created",
  "pet.updated",
  "pet.status_changed",
  "pet.deleted",
  "category.created",
  "category.updated",
  "category.deleted",
  "inventory.updated",
  "order.placed",
  "order.updated",
  "order.completed",
  "order.cancelled",
  "message.queued",
  "message.delivered",
  "message.failed",
  "message.deleted",
  "webhook.created",
  "webhook.updated",
  "webhook.disabled",
  "webhook.deleted"
])
/** The type of an event. */
export type EventType = typeof EventType.Type
