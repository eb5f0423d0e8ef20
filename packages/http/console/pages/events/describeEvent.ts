import type { StoredEvent } from "../../live/event.ts"

const petOf = (id: number | undefined, names: ReadonlyMap<number, string>): string =>
  id === undefined ? "no pet yet" : (names.get(id) ?? `pet ${id}`)

/** An event in a few words. */
export const describeEvent = ({ data, subject, type }: StoredEvent, names: ReadonlyMap<number, string>): string => {
  const [, id] = subject.split("/")
  switch (type) {
    case "order.placed":
    case "order.updated":
    case "order.completed":
      return `Order ${id}: ${data.quantity ?? 1} × ${petOf(data.petId, names)}`
    case "order.cancelled":
    case "order.expired":
    case "order.record_updated":
      return `Order ${id}`
    case "inventory.updated":
      return `${petOf(data.petId, names)}: ${data.available ?? data.quantity} of ${data.quantity} available`
    case "pet.status_changed":
      return `${data.name}: ${data.previous} → ${data.status}`
    case "pet.created":
    case "pet.updated":
    case "category.created":
    case "category.updated":
    case "apiKey.created":
    case "apiKey.rotated":
    case "apiKey.revoked":
      return data.name ?? subject
    case "message.queued":
    case "message.delivered":
    case "message.failed":
      return data.message ?? subject
    default:
      return subject
  }
}
