/** Rows as they are stored, and as their events show them, with the same fields. */

import type { EventData } from "../../domain/events/Event.ts"
import { statusOf } from "../../domain/inventory/Stock.ts"
import { orderStates } from "../../domain/orders/OrderState.ts"
import { detailsOf } from "../../domain/pets/Pet.ts"
import { webhookState } from "../../domain/webhooks/Webhook.ts"
import type { WebhookState } from "../../domain/webhooks/WebhookState.ts"
import type { CategoryRecord } from "../../tables/categoryTable.ts"
import type { OrderRecord } from "../../tables/orderTable.ts"
import type { PetRecord } from "../../tables/petTable.ts"
import type { WebhookRecord } from "../../tables/webhookTables.ts"
import type { Row } from "./Finding.ts"
import type { Replayed } from "./ResourceLog.ts"

/** When a resource was created and last changed. */
interface Times {
  readonly createdAt: string
  readonly updatedAt: string
}

const timesOf = ({ createdAt, updatedAt }: Times): Times => ({ createdAt, updatedAt })

export const storedCategory = (record: CategoryRecord): Row => ({
  name: record.category.name,
  description: record.category.description,
  version: record.version,
  ...timesOf(record),
  end: record.deleted ? "category.deleted" : undefined
})

export const replayedCategory = (replayed: Replayed<EventData["category.created"]>): Row => ({
  name: replayed.data.name,
  description: replayed.data.description,
  version: replayed.data.version,
  ...timesOf(replayed),
  end: replayed.end
})

export const storedPet = (record: PetRecord): Row => ({
  ...detailsOf(record),
  version: record.version,
  ...timesOf(record),
  status: record.deleted ? undefined : statusOf(record.stock),
  end: record.deleted ? "pet.deleted" : undefined
})

export const replayedPet = ({ data, end, ...replayed }: Replayed<EventData["pet.created"]>): Row => ({
  ...detailsOf(data),
  version: data.version,
  ...timesOf(replayed),
  status: end === undefined ? data.status : undefined,
  end
})

export const storedStock = ({ stock, stockVersion }: PetRecord): Row => ({ ...stock, version: stockVersion })

export const replayedStock = ({ data, end }: Replayed<EventData["inventory.updated"]>): Row => ({
  ...(end === undefined
    ? { onHand: data.quantity, reserved: data.reserved, held: data.held }
    : { onHand: 0, reserved: 0, held: false }),
  version: data.version
})

export const storedOrder = ({ order: { petId, quantity, shipDate, state }, version, ...record }: OrderRecord): Row => {
  const end = orderStates[state]?.end
  return { petId, quantity, shipDate, state, version, ...timesOf(record), end: end && `order.${end.fact}` }
}

export const replayedOrder = ({ data, end, ...replayed }: Replayed<EventData["order.placed"]>): Row => ({
  petId: data.petId,
  quantity: data.quantity,
  shipDate: data.shipDate,
  // The event of a cancellation or expiry has the id alone.
  ...(end === "order.cancelled" || end === "order.expired"
    ? { state: end.slice("order.".length), version: data.version + 1 }
    : { state: data.state, version: data.version }),
  ...timesOf(replayed),
  end
})

/** Lists compare by their text; damaged ones are shown as they are. */
export const shownList = (list: unknown): unknown => (Array.isArray(list) ? list.join(" ") : list)

const shownWebhook = ({ types, ...state }: WebhookState): Row => ({
  types: shownList(types),
  description: state.description,
  ordered: state.ordered,
  concurrency: state.concurrency,
  enabled: state.enabled,
  disabledReason: state.disabledReason,
  disabledAt: state.disabledAt,
  createdAt: state.createdAt
})

export const storedWebhook = ({ deleted, version, webhook }: WebhookRecord): Row => ({
  ...shownWebhook(webhookState(webhook)),
  version,
  end: deleted ? "webhook.deleted" : undefined
})

export const replayedWebhook = ({ data, end }: Replayed<EventData["webhook.created"]>): Row => ({
  ...shownWebhook(data),
  version: data.version,
  end
})
