import { orderStates } from "../../domain/OrderState.ts"
import { available, statusOf } from "../../domain/Stock.ts"
import type { EventRecord } from "../../ports/EventRows.ts"

/** Whether the subject of an event, and what else follows from its data, does. */
export const isConsistent = (event: EventRecord): boolean => {
  const { data, subject, type } = event
  if (typeof data !== "object" || data === null) return false
  switch (type) {
    case "category.created":
    case "category.updated":
    case "category.deleted":
      return subject === `categories/${data.id}`
    case "pet.created":
    case "pet.updated":
    case "pet.deleted":
      return subject === `pets/${data.id}`
    case "pet.status_changed":
      return subject === `pets/${data.id}` && data.status !== data.previous
    case "inventory.updated": {
      const stock = { onHand: data.quantity, reserved: data.reserved ?? 0, held: data.held }
      return (
        subject === `inventory/${data.petId}` && data.status === statusOf(stock) && data.available === available(stock)
      )
    }
    case "order.placed":
    case "order.updated":
    case "order.completed": {
      const state = orderStates[data.state]
      return (
        subject === `orders/${data.id}` &&
        state?.visible &&
        data.complete === state.complete &&
        (type !== "order.completed" || state.complete)
      )
    }
    case "order.cancelled":
      return subject === `orders/${data.id}`
    case "message.queued":
      return subject === `messages/${data.id}` && data.status === "queued" && data.createdAt === event.timestamp
    case "message.delivered":
    case "message.failed":
      return subject === `messages/${data.id}` && type === `message.${data.status}`
    default:
      return false
  }
}
