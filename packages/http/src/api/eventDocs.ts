import {
  ApiKeyEventData,
  CategoryEventData,
  DeletedMessage,
  Event,
  type EventData,
  type EventOf,
  EventType,
  eventTypes,
  InventoryEventData,
  OrderEventData,
  PetEventData,
  PetStatusEventData,
  RecordEventData,
  ResourceId,
  WebhookEventData,
  type WebhookTest
} from "@petstore/core/domain"
import { apiKeyFields } from "./ApiKeys.ts"
import { describeSchema, describeUnion, type SchemaDocs } from "./docs.ts"
import {
  apiKey,
  deliveredMessage,
  dogs,
  message,
  order,
  record,
  rex,
  stock,
  texts,
  webhook,
  webhookFields
} from "./examples.ts"
import { petFields } from "./Pets.ts"
import { recordFields } from "./Records.ts"

// Texts and examples of each type of event for the OpenAPI document.

interface EventDocs<T extends EventType = EventType> {
  /** What happened, as a heading. */
  readonly summary: string
  /** When it is recorded, and what it carries. */
  readonly description: string
  readonly example: EventOf<T>
}

const timestamp = "2026-05-04T09:30:00.000Z"

const exampleOf = <T extends EventType>(type: T, subject: string, data: EventData[T]): EventOf<T> => ({
  // Tools that read an example as a schema, with its id, take each id once.
  id: `evt_01jz3v9k2m4n6p${String(EventType.literals.indexOf(type)).padStart(2, "0")}`,
  type,
  timestamp,
  seq: 42,
  subject,
  data
})

const ofKeys = "Only callers with `admin` and endpoints whose `types` name it receive it."

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table
export const eventDocs = (): { readonly [T in EventType]: EventDocs<T> } => {
  const pet = { ...rex, version: 3 } as const
  const category = { ...dogs, version: 2 }
  const placed = { ...order, state: "open", version: 1 } as const
  const { url: _, ...state } = webhook
  const endpoint = { ...state, version: 1 }
  const { createdAt: _createdAt, updatedAt: _updatedAt, ...recorded } = record
  const messageSubject = `messages/${message.id}`
  return {
    "pet.created": {
      summary: "A pet was created",
      description: "Carries the new pet.",
      example: exampleOf("pet.created", "pets/1", { ...pet, version: 1 })
    },
    "pet.updated": {
      summary: "The name or category of a pet changed",
      description: "Carries the pet after the change.",
      example: exampleOf("pet.updated", "pets/1", pet)
    },
    "pet.status_changed": {
      summary: "The status of a pet changed",
      description: "By a request for another status, an order or a new stock count. Carries the pet after the change.",
      example: exampleOf("pet.status_changed", "pets/1", { ...pet, status: "sold", previous: "available" })
    },
    "pet.deleted": {
      summary: "A pet was deleted",
      description: "Its stock is deleted with it, without an event of its own.",
      example: exampleOf("pet.deleted", "pets/1", { id: rex.id })
    },
    "category.created": {
      summary: "A category was created",
      description: "Carries the new category.",
      example: exampleOf("category.created", "categories/1", { ...category, version: 1 })
    },
    "category.updated": {
      summary: "A category changed",
      description: "Carries the category after the change.",
      example: exampleOf("category.updated", "categories/1", category)
    },
    "category.deleted": {
      summary: "A category was deleted",
      description: "Carries its id.",
      example: exampleOf("category.deleted", "categories/1", { id: dogs.id })
    },
    "inventory.updated": {
      summary: "The stock of a pet changed",
      description:
        "The units on hand, the reserved units, or whether the pet is on hold. Carries the stock after the change.",
      example: exampleOf("inventory.updated", "inventory/1", { ...stock, held: false, version: 5 })
    },
    "order.placed": {
      summary: "An order was placed",
      description: "Also for a draft, which has no pet yet. Carries the order.",
      example: exampleOf("order.placed", "orders/1", placed)
    },
    "order.updated": {
      summary: "An order changed",
      description: "Its pet, quantity or ship date. Carries the order after the change.",
      example: exampleOf("order.updated", "orders/1", { ...placed, quantity: 3, version: 2 })
    },
    "order.completed": {
      summary: "An order was completed",
      description: "Its units have left the stock. Carries the order.",
      example: exampleOf("order.completed", "orders/1", {
        ...placed,
        shipDate: timestamp,
        complete: true,
        state: "complete",
        version: 2
      })
    },
    "order.cancelled": {
      summary: "An order was cancelled",
      description: "Its reserved units are free again. Carries its id.",
      example: exampleOf("order.cancelled", "orders/1", { id: order.id })
    },
    "order.expired": {
      summary: "An order expired",
      description:
        "It was not completed before the end of its reservation, and is cancelled: its reserved units are free again. Carries its id.",
      example: exampleOf("order.expired", "orders/1", { id: order.id })
    },
    "message.queued": {
      summary: "A message was queued",
      description: "For the first time, or again after its delivery had failed.",
      example: exampleOf("message.queued", messageSubject, message)
    },
    "message.delivered": {
      summary: "A message was delivered",
      description: "By a handler of the host application, or by a webhook for `message.queued`.",
      example: exampleOf("message.delivered", `messages/${deliveredMessage.id}`, deliveredMessage)
    },
    "message.failed": {
      summary: "Delivery of a message failed permanently",
      description: "The last attempt has failed: `lastError` contains why. The message can be queued again.",
      example: exampleOf("message.failed", "messages/msg_01jz3v9k2m4n6p6f", {
        ...message,
        id: "msg_01jz3v9k2m4n6p6f",
        status: "failed",
        attempts: 10,
        failedAt: timestamp,
        lastError: "The mail server is not available."
      })
    },
    "message.deleted": {
      summary: "A delivered message was deleted",
      description: "It was older than the server keeps delivered messages. Carries its id.",
      example: exampleOf("message.deleted", "messages/msg_01jz3v9k2m4n6p5r", { id: "msg_01jz3v9k2m4n6p5r" })
    },
    "webhook.created": {
      summary: "A webhook was created",
      description: "Other endpoints get this event. Carries the webhook without its URL and secret.",
      example: exampleOf("webhook.created", "webhooks/1", endpoint)
    },
    "webhook.updated": {
      summary: "A webhook changed",
      description:
        "Also if it was enabled again. Other endpoints get this event. Carries the webhook after the change, without its URL and secret.",
      example: exampleOf("webhook.updated", "webhooks/1", { ...endpoint, concurrency: 1, version: 2 })
    },
    "webhook.disabled": {
      summary: "A webhook was disabled",
      description:
        "By a request, because the endpoint responded 410, or because every attempt failed for five days: see `disabledReason`. Other endpoints get this event.",
      example: exampleOf("webhook.disabled", "webhooks/1", {
        ...endpoint,
        enabled: false,
        disabledReason: "gone",
        disabledAt: timestamp,
        version: 2
      })
    },
    "webhook.deleted": {
      summary: "A webhook was deleted",
      description: "Other endpoints get this event. Carries its id.",
      example: exampleOf("webhook.deleted", "webhooks/1", { id: webhook.id })
    },
    "pet.record_updated": {
      summary: "The record of a pet changed",
      description: "Its external id or its metadata. Carries both after the change.",
      example: exampleOf("pet.record_updated", "pets/1", recorded)
    },
    "category.record_updated": {
      summary: "The record of a category changed",
      description: "Its external id or its metadata. Carries both after the change.",
      example: exampleOf("category.record_updated", "categories/1", recorded)
    },
    "order.record_updated": {
      summary: "The record of an order changed",
      description: "Its external id or its metadata. Carries both after the change.",
      example: exampleOf("order.record_updated", "orders/1", recorded)
    },
    "apiKey.created": {
      summary: "An API key was created",
      description: `${ofKeys} Carries the key without its secret.`,
      example: exampleOf("apiKey.created", "apiKeys/1", { ...apiKey, createdAt: timestamp })
    },
    "apiKey.rotated": {
      summary: "An API key has a new secret",
      description: `${ofKeys} Carries the key without its secret.`,
      example: exampleOf("apiKey.rotated", "apiKeys/1", apiKey)
    },
    "apiKey.revoked": {
      summary: "An API key was revoked",
      description: `${ofKeys} Carries the key as it was, without its secret.`,
      example: exampleOf("apiKey.revoked", "apiKeys/1", apiKey)
    }
  }
}

/** The documentation of the schemas of events, and of what they carry. */
export const eventSchemaDocs = (): ReadonlyArray<SchemaDocs> => {
  const docs = eventDocs()
  const version = "The version of the resource: it increases with each change that callers see."
  const fields = {
    id: "Unique identifier, the same wherever the event is sent.",
    type: "What happened.",
    timestamp: "When the change was made.",
    seq: "The position in the log: 1, 2, 3 and so on, in the order of commits.",
    subject: "The resource, such as `pets/1`.",
    data: "The resource after the whole change that the event belongs to."
  }
  const pet = { id: texts.id, ...petFields, version }
  return [
    ...EventType.literals.map((type) => {
      const { description, summary } = docs[type]
      return describeSchema(eventTypes[type].schema, `${summary}. ${description}`, fields)
    }),
    describeUnion(
      Event,
      "A change that was committed. Its `type` determines its `data`. Future versions may add types: ignore those that you do not know."
    ),
    describeSchema(PetEventData, "A pet with its version.", pet),
    describeSchema(PetStatusEventData, "A pet whose status has changed.", {
      ...pet,
      previous: "The status before the change."
    }),
    describeSchema(CategoryEventData, "A category with its version.", {
      id: texts.id,
      name: "The category name.",
      description: "A short description of the category. Absent if it has none.",
      version
    }),
    describeSchema(InventoryEventData, "The stock of a pet with its version.", {
      petId: "The ID of the animal this entry tracks.",
      quantity: "Units in the store, reserved ones included.",
      status: "Status of the entry.",
      reserved: "Units reserved by open orders.",
      available: "Units that can be ordered.",
      held: "Whether the pet is on hold: it takes no new orders.",
      version,
      reason: "Why the stock was adjusted. Absent if something else changed it."
    }),
    describeSchema(OrderEventData, "An order with its state and version.", {
      id: "Unique order identifier.",
      petId: "The ID of the animal in this order. Absent in a draft.",
      quantity: "Number of units ordered. A draft may have none.",
      shipDate: "Expected or actual ship date in ISO 8601 format.",
      complete: "Whether the order has been fulfilled.",
      state: "`draft`: the order has no pet yet. `open`: its units are reserved. `complete`: they have left the stock.",
      version
    }),
    describeSchema(WebhookEventData, "A webhook with its version, without its URL and secret.", {
      ...webhookFields,
      version
    }),
    describeSchema(RecordEventData, "What is set in the record of a resource.", { id: texts.id, ...recordFields }),
    describeSchema(ApiKeyEventData, "An API key without its secret and its last use.", apiKeyFields),
    describeSchema(ResourceId, "The id of a resource.", { id: "The id: a deleted resource has nothing else." }),
    describeSchema(DeletedMessage, "The id of a message.", { id: "The id of the message that was deleted." })
  ]
}

/** The documentation of the request that tests an endpoint. */
export const webhookTestDocs = (): {
  readonly summary: string
  readonly description: string
  readonly example: WebhookTest
} => ({
  summary: "A webhook is tested",
  description:
    "Sent when a caller tests the webhook. It belongs to no change, is in no log, and is not sent again if it fails.",
  example: {
    id: "evt_01jz3v9k2m4n6pzz",
    type: "webhook.test",
    timestamp: "2026-05-04T09:30:00.000Z",
    subject: `webhooks/${webhook.id}`,
    data: { id: webhook.id }
  }
})
