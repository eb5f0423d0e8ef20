import type * as Effect from "effect/Effect"
import type { OrderContent } from "../domain/Order.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** An order as it is kept. */
export interface OrderRecord {
  readonly id: number
  readonly order: OrderContent
  readonly version: number
}

/** Which orders that are not cancelled, in ascending id. */
export interface OrderQuery {
  readonly petId?: number | undefined
  readonly complete?: boolean | undefined
  /** Only ids above this one. */
  readonly after: number
  readonly limit: number
}

/** The orders. Cancelled ones stay, so that no id is given twice. */
export interface OrderRows {
  /** An order that is not cancelled. */
  readonly find: (id: number) => Effect.Effect<OrderRecord | undefined, StorageError>
  /** An order, not cancelled, that nobody else can change until the transaction ends. Lock the order before its pets. */
  readonly lock: (id: number) => Effect.Effect<OrderRecord | undefined, StorageError, Transaction>
  readonly list: (query: OrderQuery) => Effect.Effect<ReadonlyArray<OrderRecord>, StorageError>
  /** Adds an order and answers its new id. */
  readonly insert: (order: Omit<OrderRecord, "id">) => Effect.Effect<number, StorageError, Transaction>
  /** Replaces the row of a locked order. */
  readonly save: (order: OrderRecord) => Effect.Effect<void, StorageError, Transaction>
  /** Every order ever, cancelled ones included, with an id above `after`. */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<OrderRecord>, StorageError>
}
