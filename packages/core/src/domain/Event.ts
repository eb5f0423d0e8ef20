import type { Category } from "./Category.ts"
import type { InventoryItem } from "./InventoryItem.ts"
import type { Message } from "./Message.ts"
import type { Order, OrderState } from "./Order.ts"
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

export type EventType = keyof EventData

/** One event of one type, before it has its place in the log. */
export type NewEvent = {
  readonly [T in EventType]: {
    readonly type: T
    /** The resource it is about, such as `pets/7`. */
    readonly subject: string
    readonly data: EventData[T]
  }
}[EventType]
