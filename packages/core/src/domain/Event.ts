import * as Schema from "effect/Schema"
import type { Category } from "./Category.ts"
import type { InventoryItem } from "./InventoryItem.ts"
import type { Message } from "./Message.ts"
import type { Order } from "./Order.ts"
import type { OrderState } from "./OrderState.ts"
import type { Pet } from "./Pet.ts"
import type { PetStatus } from "./Stock.ts"

type Versioned<A> = A & { readonly version: number }

/** What each event says. Together, from the first on, they tell the present state of every resource. */
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
  readonly "message.delivered": Message
  readonly "message.failed": Message
}

/** What can happen. */
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
  "message.failed"
])
export type EventType = typeof EventType.Type

/** One event of one type, before it has its place in the log. */
export type NewEvent = {
  readonly [T in EventType]: {
    readonly type: T
    /** The resource it is about, such as `pets/7`. */
    readonly subject: string
    readonly data: EventData[T]
  }
}[EventType]

interface EventOf<T extends EventType> {
  /** The same wherever the event is sent; sorts by time. */
  readonly id: string
  readonly type: T
  /** When the change was made, in UTC. */
  readonly timestamp: string
  /** 1, 2, 3 and so on, in the order in which the changes were committed. */
  readonly seq: number
  /** The resource it is about, such as `pets/7`. */
  readonly subject: string
  /** The resource as it was after the change. */
  readonly data: EventData[T]
}

/** An event in the log, of any type or of some; `type` tells which `data` it has. */
export type Event<T extends EventType = EventType> = { readonly [K in T]: EventOf<K> }[T]

/** Tells events of these types from others; all are where no types are given. */
export const isOfType = <T extends EventType>(types: ReadonlyArray<T> | undefined) => {
  const wanted: ReadonlySet<string> | undefined = types === undefined ? undefined : new Set(types)
  return (event: Event): event is Event & Event<T> => wanted === undefined || wanted.has(event.type)
}
