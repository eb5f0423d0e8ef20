import type { WebhookEvent } from "@petstore/core/verify-webhook"

/** A shop that handles each event once, and what it did. */
export const openShop = () => {
  // A real shop keeps these ids in its database, and adds each in the transaction of what it does for the event.
  const handled = new Set<string>()
  const log: Array<string> = []

  const handle = (event: WebhookEvent): void => {
    if (handled.has(event.id)) return
    handled.add(event.id)
    switch (event.type) {
      case "order.completed":
        log.push(`ship order ${event.data.id}`)
        break
      case "pet.status_changed":
        log.push(`pet ${event.data.id} was ${event.data.previous} and is ${event.data.status}`)
        break
      default: // Other types, also those that a newer petstore adds: accepted, so that they are not sent again.
    }
  }

  return { handle, log }
}
