import type * as Effect from "effect/Effect"
import type { Delivery, DeliveryStatus } from "../domain/Delivery.ts"
import type { Lease } from "../domain/Lease.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** The delivery of an event to an endpoint as it is stored. */
export interface DeliveryRecord {
  readonly delivery: Delivery
  /** The lease of the process that makes an attempt. While it is held, `nextAttemptAt` is its end. */
  readonly lease: Lease
}

/** A delivery of which no attempt was made. */
export type NewDelivery = Pick<
  Delivery,
  "webhookId" | "seq" | "eventId" | "type" | "subject" | "createdAt" | "nextAttemptAt"
>

/** Which deliveries of an endpoint a list has. */
export interface DeliveryQuery {
  readonly webhookId: number
  readonly status?: DeliveryStatus | undefined
  /** Deliveries with ids above this one. */
  readonly after: number
  readonly limit: number
}

/** What has not been delivered to an endpoint. */
export interface DeliveryBacklog {
  readonly webhookId: number
  readonly enabled: boolean
  /** Deliveries that are still to be made. */
  readonly pending: number
  /** Deliveries that have failed for good. */
  readonly failed: number
  /** When the first of those that are pending was added. */
  readonly oldest?: string
}

/** Stores deliveries: at most one of an event to an endpoint. Changes need the lock of the endpoint. */
export interface DeliveryRows {
  readonly find: (id: number) => Effect.Effect<DeliveryRecord | undefined, StorageError>
  /** Deliveries of an endpoint in ascending id. */
  readonly list: (query: DeliveryQuery) => Effect.Effect<ReadonlyArray<DeliveryRecord>, StorageError>
  /** Deliveries to an endpoint of the events after a `seq`, in ascending `seq`. */
  readonly ofEvents: (
    webhookId: number,
    after: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<DeliveryRecord>, StorageError>
  /** All deliveries in ascending id, above `after`. */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<DeliveryRecord>, StorageError>
  /** Pending deliveries of an endpoint whose next attempt is due at the time `at`: in the order in which they are due, then of ids. */
  readonly due: (
    webhookId: number,
    at: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<DeliveryRecord>, StorageError>
  /** When the next attempt of an endpoint is due; undefined if there is none. */
  readonly nextDue: (webhookId: number) => Effect.Effect<string | undefined, StorageError>
  /** How many deliveries of an endpoint have a lease that ends after the time `at`. */
  readonly leased: (webhookId: number, at: string) => Effect.Effect<number, StorageError>
  /** The pending deliveries of an endpoint about a subject, in ascending id. */
  readonly pending: (
    webhookId: number,
    subject: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<DeliveryRecord>, StorageError>
  /**
   * The backlogs of the first endpoints that are not deleted, in ascending id. Each count ends at `most`, so that the cost does
   * not depend on how many deliveries there are.
   */
  readonly backlogs: (limit: number, most: number) => Effect.Effect<ReadonlyArray<DeliveryBacklog>, StorageError>
  /** Adds deliveries. Fails if there is one of the same event to the same endpoint. */
  readonly insertAll: (deliveries: ReadonlyArray<NewDelivery>) => Effect.Effect<void, StorageError, Transaction>
  /** Replaces a delivery. */
  readonly save: (delivery: DeliveryRecord) => Effect.Effect<void, StorageError, Transaction>
  /** Removes a finished delivery, which is not the one with the highest id: no id is used again. */
  readonly remove: (
    delivery: Pick<Delivery, "id" | "webhookId" | "seq">
  ) => Effect.Effect<void, StorageError, Transaction>
}
