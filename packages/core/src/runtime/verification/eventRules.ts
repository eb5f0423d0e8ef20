import * as Schema from "effect/Schema"
import { type EventData, type EventOf, type EventType, eventTypes, subjectOf } from "../../domain/events/Event.ts"
import { ApiKeyEventData } from "../../domain/events/eventData.ts"
import { AdjustmentReason } from "../../domain/inventory/Movement.ts"
import { available, PetStatus, type Stock, statusOf } from "../../domain/inventory/Stock.ts"
import { fieldProblem, type OrderContent } from "../../domain/orders/Order.ts"
import { orderStates } from "../../domain/orders/OrderState.ts"
import { isPetDetails } from "../../domain/pets/Pet.ts"
import { type RecordContent, RecordEventData } from "../../domain/records/ResourceRecord.ts"
import { isWebhookState } from "../../domain/webhooks/Webhook.ts"
import type { EventRecord } from "../../tables/eventTable.ts"
import type { ApiKeyLog } from "./ApiKeyLog.ts"
import type { Row } from "./Finding.ts"
import type { MessageLog } from "./MessageLog.ts"
import type { PetStatuses } from "./PetStatuses.ts"
import type { ResourceLog } from "./ResourceLog.ts"
import { isStoredTime } from "./storedForms.ts"

/** The resources that events are replayed on. */
export interface ReplayedResources {
  readonly categories: ResourceLog<EventData["category.created"]>
  readonly pets: ResourceLog<EventData["pet.created"]>
  readonly stock: ResourceLog<EventData["inventory.updated"]>
  readonly orders: ResourceLog<EventData["order.placed"]>
  /** Notes what is set in the record of an order, which may have been completed by a removed event. */
  readonly recordOfOrder: (event: EventRecord, id: number, record: RecordContent) => void
  readonly messages: MessageLog
  readonly webhooks: ResourceLog<EventData["webhook.created"]>
  readonly apiKeys: ApiKeyLog
  readonly statuses: PetStatuses
  /** Notes the creation of a row, as its command returned it: `result` makes that, for the few rows whose results are kept. */
  readonly created: (id: number | string, result: () => Row, at: string) => void
  /** Notes the stock of a pet after a change. */
  readonly moved: (petId: number, at: string, stock: Stock, reason?: AdjustmentReason) => void
}

interface EventRules<Type extends EventType> {
  /** Whether the data has the fields of the type, each with a value that it can have. Default: always true. */
  readonly isWhole?: (data: EventData[Type]) => boolean
  /** Whether the fields that follow from others do. Default: always true. */
  readonly isConsistent?: (data: EventData[Type], timestamp: string) => boolean
  readonly replay: (event: EventOf<Type>, resources: ReplayedResources) => void
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""

const isCount = (value: unknown, least: number): boolean =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= least

const isStatus = (value: unknown): boolean => PetStatus.literals.some((status) => status === value)

const isCategory = (data: EventData["category.created"]): boolean =>
  isText(data.name) &&
  (data.description === undefined || typeof data.description === "string") &&
  isCount(data.version, 1)

const isPet = (data: EventData["pet.created"]): boolean =>
  isPetDetails(data) && isStatus(data.status) && isCount(data.version, 1)

/** Whether an order has the fields of its state, a quantity if it has a pet, and times that exist. */
export const isOrderContent = (order: OrderContent): boolean =>
  fieldProblem(order) === undefined &&
  (order.petId === undefined || order.quantity !== undefined) &&
  (order.shipDate === undefined || isStoredTime(order.shipDate)) &&
  (order.expiresAt === undefined || isStoredTime(order.expiresAt)) &&
  (order.quantity === undefined || order.quantity >= 1)

const isWebhook = (data: EventData["webhook.created"]): boolean => isWebhookState(data) && isCount(data.version, 1)

const isConsistentWebhook = ({ disabledAt, disabledReason, enabled }: EventData["webhook.created"]): boolean =>
  enabled === (disabledReason === undefined) && enabled === (disabledAt === undefined)

const isRecordData = Schema.is(RecordEventData)
const isRecord = (data: RecordEventData): boolean => isRecordData(data) && data.externalId !== ""

const isApiKey = Schema.is(ApiKeyEventData)

const isOrder = (data: EventData["order.placed"]): boolean => isOrderContent(data) && isCount(data.version, 1)

const isMessage = (data: EventData["message.queued"]): boolean => isText(data.message) && isText(data.createdAt)

const isConsistentOrder = ({ complete, state }: EventData["order.placed"]): boolean =>
  orderStates[state]?.visible === true && complete === orderStates[state].complete

const stockIn = ({ held, quantity, reserved = 0 }: EventData["inventory.updated"]): Stock => ({
  onHand: quantity,
  reserved,
  held
})

const eventRules: { readonly [Type in EventType]: EventRules<Type> } = {
  "category.created": {
    isWhole: isCategory,
    replay: (event, { categories, created }) => {
      categories.create(event, event.data.id, event.data)
      created(event.data.id, () => ({ ...event.data }), event.timestamp)
    }
  },
  "category.updated": {
    isWhole: isCategory,
    replay: (event, { categories }) => categories.change(event, event.data.id, event.data)
  },
  "category.deleted": { replay: (event, { categories }) => categories.end(event, event.data.id) },
  "pet.created": {
    isWhole: isPet,
    replay: (event, { created, pets, statuses }) => {
      const { data, seq, timestamp, type } = event
      statuses.addPet({ seq, type, petId: data.id, status: data.status })
      pets.create(event, data.id, data)
      created(data.id, () => ({ ...data }), timestamp)
    }
  },
  "pet.updated": {
    isWhole: isPet,
    replay: (event, { pets, statuses }) => {
      const { data, seq, type } = event
      statuses.addPet({ seq, type, petId: data.id, status: data.status })
      pets.change(event, data.id, data)
    }
  },
  "pet.status_changed": {
    isWhole: (data) => isPet(data) && isStatus(data.previous),
    isConsistent: ({ previous, status }) => status !== previous,
    replay: (event, { pets, statuses }) => {
      const { data, seq, type } = event
      statuses.addChange({ seq, type, petId: data.id, status: data.status }, data.previous)
      pets.change(event, data.id, data)
    }
  },
  "pet.deleted": {
    replay: (event, { moved, pets, stock }) => {
      const { data, timestamp, type } = event
      pets.end(event, data.id)
      stock.close(data.id, type)
      moved(data.id, timestamp, { onHand: 0, reserved: 0, held: false })
    }
  },
  "inventory.updated": {
    isWhole: (data) =>
      isCount(data.quantity, 0) &&
      isCount(data.reserved, 0) &&
      isCount(data.available, 0) &&
      typeof data.held === "boolean" &&
      isCount(data.version, 1) &&
      (data.reason === undefined || AdjustmentReason.literals.includes(data.reason)),
    isConsistent: (data) => {
      const stock = stockIn(data)
      return data.status === statusOf(stock) && data.available === available(stock)
    },
    replay: (event, { moved, statuses, stock }) => {
      const { data, seq, timestamp, type } = event
      statuses.addStock({ seq, type, petId: data.petId, status: data.status })
      // The first one is about the creation of the pet.
      if (stock.find(data.petId) === undefined) stock.create(event, data.petId, data)
      else stock.change(event, data.petId, data)
      moved(data.petId, timestamp, stockIn(data), data.reason)
    }
  },
  "order.placed": {
    isWhole: isOrder,
    isConsistent: isConsistentOrder,
    replay: (event, { created, orders }) => {
      const { data, timestamp } = event
      orders.create(event, data.id, data)
      created(
        data.id,
        () => {
          const { state: _, ...result } = data
          return result
        },
        timestamp
      )
    }
  },
  "order.updated": {
    isWhole: isOrder,
    isConsistent: isConsistentOrder,
    replay: (event, { orders }) => orders.change(event, event.data.id, event.data)
  },
  "order.completed": {
    isWhole: isOrder,
    isConsistent: (data) => isConsistentOrder(data) && data.complete,
    replay: (event, { orders }) => {
      orders.change(event, event.data.id, event.data)
      orders.close(event.data.id, event.type)
    }
  },
  "order.cancelled": { replay: (event, { orders }) => orders.end(event, event.data.id) },
  "order.expired": { replay: (event, { orders }) => orders.end(event, event.data.id) },
  "message.queued": {
    isWhole: isMessage,
    isConsistent: ({ createdAt, status }, timestamp) => status === "queued" && createdAt <= timestamp,
    replay: (event, { created, messages }) => {
      const { data, timestamp } = event
      if (messages.replay(event)) created(data.id, () => ({ ...data }), timestamp)
    }
  },
  "message.delivered": {
    isWhole: isMessage,
    isConsistent: ({ deliveredAt, status }, timestamp) => status === "delivered" && deliveredAt === timestamp,
    replay: (event, { messages }) => void messages.replay(event)
  },
  "message.failed": {
    isWhole: (data) => isMessage(data) && isText(data.lastError),
    isConsistent: ({ failedAt, status }, timestamp) => status === "failed" && failedAt === timestamp,
    replay: (event, { messages }) => void messages.replay(event)
  },
  "message.deleted": { replay: (event, { messages }) => void messages.replay(event) },
  "webhook.created": {
    isWhole: isWebhook,
    isConsistent: (data, timestamp) => isConsistentWebhook(data) && data.enabled && data.createdAt === timestamp,
    replay: (event, { webhooks }) => webhooks.create(event, event.data.id, event.data)
  },
  "webhook.updated": {
    isWhole: isWebhook,
    isConsistent: isConsistentWebhook,
    replay: (event, { webhooks }) => webhooks.change(event, event.data.id, event.data)
  },
  "webhook.disabled": {
    isWhole: isWebhook,
    isConsistent: (data, timestamp) => isConsistentWebhook(data) && data.disabledAt === timestamp,
    replay: (event, { webhooks }) => webhooks.change(event, event.data.id, event.data)
  },
  "webhook.deleted": { replay: (event, { webhooks }) => webhooks.end(event, event.data.id) },
  "pet.record_updated": {
    isWhole: isRecord,
    replay: (event, { pets }) => pets.record(event, event.data.id, event.data)
  },
  "category.record_updated": {
    isWhole: isRecord,
    replay: (event, { categories }) => categories.record(event, event.data.id, event.data)
  },
  "order.record_updated": {
    isWhole: isRecord,
    replay: (event, { recordOfOrder }) => recordOfOrder(event, event.data.id, event.data)
  },
  "apiKey.created": {
    isWhole: isApiKey,
    isConsistent: ({ createdAt }, timestamp) => createdAt === timestamp,
    replay: (event, { apiKeys }) => apiKeys.replay(event)
  },
  "apiKey.rotated": { isWhole: isApiKey, replay: (event, { apiKeys }) => apiKeys.replay(event) },
  "apiKey.revoked": { isWhole: isApiKey, replay: (event, { apiKeys }) => apiKeys.replay(event) }
}

/** Whether an event can be replayed: its type exists, and it has data. */
export const isReplayable = ({ data, type }: EventRecord): boolean =>
  typeof data === "object" && data !== null && Object.hasOwn(eventTypes, type)

/** Whether the data of an event is whole, and its subject and all that follows from the data does. */
export const isConsistent = <Type extends EventType>({ data, subject, timestamp, type }: EventOf<Type>): boolean => {
  const rules: EventRules<Type> = eventRules[type]
  return (
    subject === subjectOf(type, data) &&
    rules.isWhole?.(data) !== false &&
    rules.isConsistent?.(data, timestamp) !== false
  )
}

/** Replays an event on the resources. */
export const replay = <Type extends EventType>(event: EventOf<Type>, resources: ReplayedResources): void =>
  eventRules[event.type].replay(event, resources)

/** The table of the rows that events of a type are about. A pet and its stock are one row. */
export const tableOf = (type: EventType) => {
  const { collection } = eventTypes[type]
  return collection === "inventory" ? "pets" : collection
}

export const rowOf = <Type extends EventType>({ data, type }: EventOf<Type>) => ({
  table: tableOf(type),
  id: eventTypes[type].idOf(data)
})
