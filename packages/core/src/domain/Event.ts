import * as Schema from "effect/Schema"
import type { Category } from "./Category.ts"
import { PageQuery } from "./Filters.ts"
import { integer } from "./Id.ts"
import type { InventoryItem } from "./InventoryItem.ts"
import { limits } from "./limits.ts"
import type { Message, MessageWithDelivery } from "./Message.ts"
import type { MethodInputs } from "./MethodInput.ts"
import type { Order } from "./Order.ts"
import type { OrderState } from "./OrderState.ts"
import type { Pet } from "./Pet.ts"
import type { PetStatus } from "./Stock.ts"
import { matches } from "./Text.ts"
import type { WebhookState } from "./WebhookState.ts"

type Versioned<A> = A & { readonly version: number }

/** What each type of event carries: the resource after the change. */
export interface EventData {
  readonly "pet.created": Versioned<Pet>
  readonly "pet.updated": Versioned<Pet>
  readonly "pet.status_changed": Versioned<Pet> & { readonly previous: PetStatus }
  readonly "pet.deleted": { readonly id: number }
  readonly "category.created": Versioned<Category>
  readonly "category.updated": Versioned<Category>
  readonly "category.deleted": { readonly id: number }
  readonly "inventory.updated": Versioned<InventoryItem> & { readonly held: boolean }
  readonly "order.placed": Versioned<Order> & { readonly state: OrderState }
  readonly "order.updated": Versioned<Order> & { readonly state: OrderState }
  readonly "order.completed": Versioned<Order> & { readonly state: OrderState }
  readonly "order.cancelled": { readonly id: number }
  readonly "message.queued": Message
  readonly "message.delivered": MessageWithDelivery
  readonly "message.failed": MessageWithDelivery
  readonly "message.deleted": { readonly id: string }
  readonly "webhook.created": Versioned<WebhookState>
  readonly "webhook.updated": Versioned<WebhookState>
  readonly "webhook.disabled": Versioned<WebhookState>
  readonly "webhook.deleted": { readonly id: number }
}

export type EventType = keyof EventData

interface EventTypeRules<T extends EventType> {
  /** What kind of resource the event is about. */
  readonly collection: "categories" | "inventory" | "messages" | "orders" | "pets" | "webhooks"
  /** The id of that resource. */
  readonly idOf: (data: EventData[T]) => number | string
}

const idOf = ({ id }: { readonly id: number | string }): number | string => id

/** Every type of event. A new one is added here and to {@link EventData}; the compiler shows what else must change. */
export const eventTypes: { readonly [T in EventType]: EventTypeRules<T> } = {
  "pet.created": { collection: "pets", idOf },
  "pet.updated": { collection: "pets", idOf },
  "pet.status_changed": { collection: "pets", idOf },
  "pet.deleted": { collection: "pets", idOf },
  "category.created": { collection: "categories", idOf },
  "category.updated": { collection: "categories", idOf },
  "category.deleted": { collection: "categories", idOf },
  "inventory.updated": { collection: "inventory", idOf: ({ petId }) => petId },
  "order.placed": { collection: "orders", idOf },
  "order.updated": { collection: "orders", idOf },
  "order.completed": { collection: "orders", idOf },
  "order.cancelled": { collection: "orders", idOf },
  "message.queued": { collection: "messages", idOf },
  "message.delivered": { collection: "messages", idOf },
  "message.failed": { collection: "messages", idOf },
  "message.deleted": { collection: "messages", idOf },
  "webhook.created": { collection: "webhooks", idOf },
  "webhook.updated": { collection: "webhooks", idOf },
  "webhook.disabled": { collection: "webhooks", idOf },
  "webhook.deleted": { collection: "webhooks", idOf }
}

/** The type of an event. */
export const EventType = Schema.Literals(Object.keys(eventTypes) as ReadonlyArray<EventType>)

/** The resource that an event is about, such as `pets/7`. */
export const subjectOf = <T extends EventType>(type: T, data: EventData[T]): string => {
  const { collection, idOf } = eventTypes[type]
  return `${collection}/${idOf(data)}`
}

/** An event of one type, before it is appended to the log. */
export interface NewEventOf<T extends EventType> {
  readonly type: T
  /** The resource it is about, such as `pets/7`. */
  readonly subject: string
  readonly data: EventData[T]
}

/** An event before it is appended to the log. */
export type NewEvent = { readonly [T in EventType]: NewEventOf<T> }[EventType]

/** The event of a change, with the resource after it. */
export const newEvent = <T extends EventType>(type: T, data: EventData[T]): NewEventOf<T> => ({
  type,
  subject: subjectOf(type, data),
  data
})

/** An event of one type in the log. */
export interface EventOf<T extends EventType> extends NewEventOf<T> {
  /** The same in every place that the event is sent to; ids sort by time. */
  readonly id: string
  /** When the change was made, in UTC. */
  readonly timestamp: string
  /** 1, 2, 3 and so on, in the order in which the changes were committed. */
  readonly seq: number
}

/** An event in the log, of any type or of some; its `type` determines its `data`. */
export type Event<T extends EventType = EventType> = { readonly [K in T]: EventOf<K> }[T]

/** Whether an event has one of these types; true for every event if there are no types. */
export const isOfType = <T extends EventType>(types: ReadonlyArray<T> | undefined) => {
  const wanted: ReadonlySet<string> | undefined = types === undefined ? undefined : new Set(types)
  return (event: Event): event is Event & Event<T> => wanted === undefined || wanted.has(event.type)
}

/** A resource that events are about, such as `pets/7`. */
export const EventSubject = Schema.String.check(
  matches(/^[a-z]{1,20}\/[0-9a-z_]{1,64}$/, "Expected a subject such as pets/7")
)

/** Which events. */
const filterFields = {
  after: Schema.optionalKey(integer(0, Number.MAX_SAFE_INTEGER)),
  types: Schema.optionalKey(
    Schema.Array(EventType).check(
      Schema.isMinLength(1, { message: "Expected at least one type" }),
      Schema.isMaxLength(limits.eventTypes, { message: `Expected at most ${limits.eventTypes} types` })
    )
  ),
  subject: Schema.optionalKey(EventSubject)
}

/** Which events to list. */
export const EventListQuery = Schema.Struct({ ...PageQuery.fields, ...filterFields })
export interface EventListQuery extends PageQuery {
  /** The `seq` to start after; from the first event that is kept if absent. */
  readonly after?: number
  /** Events of these types alone. */
  readonly types?: ReadonlyArray<EventType>
  /** Events of this resource alone, such as `pets/7`. */
  readonly subject?: string
}

/** Which events to follow. */
export const EventQuery = Schema.Struct(filterFields)
export interface EventQuery<T extends EventType = EventType> {
  /** The `seq` to continue after; 0 for all events. Only new events if absent. */
  readonly after?: number | undefined
  /** Events of these types alone; of every type if absent. */
  readonly types?: ReadonlyArray<T> | undefined
  /** Events of this resource alone, such as `pets/7`; of every resource if absent. */
  readonly subject?: string | undefined
}

/** What the methods of `events` take that are operations of the REST API. */
export const eventInputs = {
  list: { query: EventListQuery },
  latest: {},
  stream: { query: EventQuery }
} as const satisfies MethodInputs
