import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { integer } from "../Id.ts"
import { limits } from "../limits.ts"
import type { MethodInputs } from "../MethodInput.ts"
import { Message, MessageWithDelivery } from "../messages/Message.ts"
import { PageQuery } from "../PageQuery.ts"
import { RecordEventData } from "../records/ResourceRecord.ts"
import { matches } from "../Text.ts"
import { Timestamp } from "../Timestamp.ts"
import { EventType } from "./EventType.ts"
import {
  ApiKeyEventData,
  CategoryEventData,
  DeletedMessage,
  InventoryEventData,
  OrderEventData,
  PetEventData,
  PetStatusEventData,
  ResourceId,
  WebhookEventData
} from "./eventData.ts"

export { EventType } from "./EventType.ts"

/** What kind of resource events are about. */
type Collection = "apiKeys" | "categories" | "inventory" | "messages" | "orders" | "pets" | "webhooks"

/** `pet.status_changed` is published as `PetStatusChangedEvent`. */
const identifierOf = (type: EventType): string =>
  `${type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`

/** A field of what a type of event carries. */
interface EventField {
  readonly name: string
  readonly isOptional: boolean
}

const define = <const T extends EventType, Data extends Schema.Struct<Schema.Struct.Fields>>(
  type: T,
  collection: Collection,
  data: Data,
  idOf: (data: Data["Type"]) => number | string
) => ({
  collection,
  idOf,
  relatedField: collection === "orders" && "petId" in data.fields ? ("petId" as const) : undefined,
  fields: Object.entries(data.fields).map(
    ([name, { ast }]): EventField => ({ name, isOptional: SchemaAST.isOptional(ast) })
  ),
  schema: Schema.Struct({
    id: Schema.String,
    type: Schema.Literal(type),
    timestamp: Timestamp,
    seq: integer(1, limits.id),
    subject: Schema.String,
    data
  }).annotate({ identifier: identifierOf(type) })
})

const idOf = ({ id }: { readonly id: number | string }): number | string => id

const definitions = {
  "pet.created": define("pet.created", "pets", PetEventData, idOf),
  "pet.updated": define("pet.updated", "pets", PetEventData, idOf),
  "pet.status_changed": define("pet.status_changed", "pets", PetStatusEventData, idOf),
  "pet.deleted": define("pet.deleted", "pets", ResourceId, idOf),
  "category.created": define("category.created", "categories", CategoryEventData, idOf),
  "category.updated": define("category.updated", "categories", CategoryEventData, idOf),
  "category.deleted": define("category.deleted", "categories", ResourceId, idOf),
  "inventory.updated": define("inventory.updated", "inventory", InventoryEventData, ({ petId }) => petId),
  "order.placed": define("order.placed", "orders", OrderEventData, idOf),
  "order.updated": define("order.updated", "orders", OrderEventData, idOf),
  "order.completed": define("order.completed", "orders", OrderEventData, idOf),
  "order.cancelled": define("order.cancelled", "orders", ResourceId, idOf),
  "message.queued": define("message.queued", "messages", Message, idOf),
  "message.delivered": define("message.delivered", "messages", MessageWithDelivery, idOf),
  "message.failed": define("message.failed", "messages", MessageWithDelivery, idOf),
  "message.deleted": define("message.deleted", "messages", DeletedMessage, idOf),
  "webhook.created": define("webhook.created", "webhooks", WebhookEventData, idOf),
  "webhook.updated": define("webhook.updated", "webhooks", WebhookEventData, idOf),
  "webhook.disabled": define("webhook.disabled", "webhooks", WebhookEventData, idOf),
  "webhook.deleted": define("webhook.deleted", "webhooks", ResourceId, idOf),
  "pet.record_updated": define("pet.record_updated", "pets", RecordEventData, idOf),
  "category.record_updated": define("category.record_updated", "categories", RecordEventData, idOf),
  "order.record_updated": define("order.record_updated", "orders", RecordEventData, idOf),
  "order.expired": define("order.expired", "orders", ResourceId, idOf),
  "apiKey.created": define("apiKey.created", "apiKeys", ApiKeyEventData, idOf),
  "apiKey.rotated": define("apiKey.rotated", "apiKeys", ApiKeyEventData, idOf),
  "apiKey.revoked": define("apiKey.revoked", "apiKeys", ApiKeyEventData, idOf)
}

/** What each type of event carries: the resource after the change. */
export type EventData = {
  readonly [T in EventType]: (typeof definitions)[T]["schema"]["Type"]["data"]
}

/** What is determined by a type of event. */
export interface EventTypeRules<T extends EventType> {
  /** What kind of resource the event is about. */
  readonly collection: Collection
  /** The id of that resource. */
  readonly idOf: (data: EventData[T]) => number | string
  /** The field with the id of another row, a pet, that the event names beside its subject, if it has one. */
  readonly relatedField: "petId" | undefined
  /** The fields of the data, in their order. */
  readonly fields: ReadonlyArray<EventField>
  /** The event as it is in the log, and as it is sent. */
  readonly schema: Schema.Codec<EventOf<T>, unknown>
}

/** Every type of event. A new one is added above; the compiler shows what else must change. */
export const eventTypes: { readonly [T in EventType]: EventTypeRules<T> } = definitions

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
export const newEvent = <T extends EventType>(type: T, data: EventData[T]): NewEventOf<T> => {
  const { collection, idOf } = eventTypes[type]
  return { type, subject: `${collection}/${idOf(data)}`, data }
}

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

/** Any event, as it is in the log and as it is sent. */
export const Event = Schema.Union(
  Object.values(definitions).map(({ schema }) => schema),
  { mode: "oneOf" }
).annotate({ identifier: "Event" })

const collections = [...new Set(Object.values(definitions).map(({ collection }) => collection))]
const subjects = collections.map((collection) =>
  collection === "messages" ? `${collection}/msg_[0-9a-z]{1,60}` : `${collection}/[1-9][0-9]{0,15}`
)

/** A resource that events are about, such as `pets/7`. */
export const EventSubject = Schema.String.check(
  matches(
    new RegExp(`^(?:${subjects.join("|")})$`),
    `Expected a collection and an id, such as pets/7: the collections are ${collections.join(", ")}, and ids of messages begin with msg_`
  )
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
export const EventListQuery = Schema.Struct({
  ...PageQuery.fields,
  ...filterFields,
  since: Schema.optionalKey(Timestamp),
  until: Schema.optionalKey(Timestamp),
  sort: Schema.optionalKey(Schema.Literals(["seq", "-seq"]))
})
export interface EventListQuery extends PageQuery {
  /** Start after this `seq`. Default: the first event that is kept. */
  readonly after?: number
  /** Only events of these types. */
  readonly types?: ReadonlyArray<EventType>
  /** Only events of this resource, such as `pets/7`. */
  readonly subject?: string
  /**
   * Only events of this time or later, which are found without reading the log before. Exact as long as clocks differ or
   * are set back, and transactions last, by less than 10 seconds in all. A date-time with an offset.
   */
  readonly since?: string
  /** Only events before this time. */
  readonly until?: string
  /** `-seq` lists the newest first; those of a `subject` only with the index `events.subject`. Default: `seq`. */
  readonly sort?: "seq" | "-seq"
}

/** Which events to follow. */
export const EventQuery = Schema.Struct(filterFields)
export interface EventQuery<T extends EventType = EventType> {
  /** Start after this `seq`; 0 starts at the beginning. Default: new events only. */
  readonly after?: number | undefined
  /** Only events of these types. Default: all types. */
  readonly types?: ReadonlyArray<T> | undefined
  /** Only events of this resource, such as `pets/7`. Default: all resources. */
  readonly subject?: string | undefined
}

/** What the methods of `events` take that are operations of the REST API. */
export const eventInputs = {
  list: { query: EventListQuery, errors: ["cursor_expired", "not_indexed"] },
  latest: {},
  stream: { query: EventQuery, errors: ["cursor_expired", "too_many_streams"] }
} as const satisfies MethodInputs
