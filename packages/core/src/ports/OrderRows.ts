import type * as Effect from "effect/Effect"
import type { OrderContent } from "../domain/Order.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** An order as it is stored. */
export interface OrderRecord {
  readonly id: number
  readonly order: OrderContent
  readonly version: number
  /** Who placed it, as `orderOwner` writes it; absent if the owner of the store did, or a release that did not record it. Never changes. */
  readonly owner?: string
}

/** An order and whom it belongs to. */
export interface OwnedOrder {
  readonly id: number
  readonly owner: string
}

/** Selects orders that are not cancelled, in ascending id. */
export interface OrderQuery {
  readonly petId?: number | undefined
  readonly complete?: boolean | undefined
  readonly owner?: string | undefined
  /** Only ids above this one. */
  readonly after: number
  readonly limit: number
}

/** Stores the orders. Cancelled ones stay in the store, so that no id is used twice. */
export interface OrderRows {
  /** An order that is not cancelled. */
  readonly find: (id: number) => Effect.Effect<OrderRecord | undefined, StorageError>
  /** Locks an order that is not cancelled: no other transaction can change it until this one ends. Lock an order before its pets. */
  readonly lock: (id: number) => Effect.Effect<OrderRecord | undefined, StorageError, Transaction>
  readonly list: (query: OrderQuery) => Effect.Effect<ReadonlyArray<OrderRecord>, StorageError>
  /** Adds an order and returns its id. */
  readonly insert: (order: Omit<OrderRecord, "id">) => Effect.Effect<number, StorageError, Transaction>
  /** Replaces a locked order. */
  readonly save: (order: OrderRecord) => Effect.Effect<void, StorageError, Transaction>
  /** The owners of those of these orders that have one, cancelled ones included, in any order. At most 1,000 ids. */
  readonly owners: (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<OwnedOrder>, StorageError>
  /** All orders in ascending id, cancelled ones included, above `after`. */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<OrderRecord>, StorageError>
}
