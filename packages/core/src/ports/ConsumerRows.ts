import type * as Effect from "effect/Effect"
import type { EventType } from "../domain/Event.ts"
import type { Lease } from "../domain/Lease.ts"
import type { Duplicate, StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** A consumer of events as it is stored. */
export interface ConsumerRecord {
  readonly name: string
  /** The `seq` of the last event that it is done with, together with all before it. */
  readonly position: number
  readonly lease: Lease
  /** Who holds the lease; absent if nobody does. A claim of it counts only with the holder that it was made for. */
  readonly holder?: string
  /** The types of events that the last holder handles; every type if absent. */
  readonly types?: ReadonlyArray<EventType>
  /** How often the next event has failed. */
  readonly attempts: number
  /** When that event is tried again; absent if it has not failed. */
  readonly retryAt?: string
  /** The last failure, also of an event that was handled later. */
  readonly failure?: { readonly message: string; readonly at: string }
  readonly createdAt: string
}

/** The consumer that needs the oldest event, and the position before that event. */
export interface LowestPosition {
  readonly consumer: string
  readonly position: number
}

/** Stores the consumers of events by their names, which compare by their code units. */
export interface ConsumerRows {
  readonly find: (name: string) => Effect.Effect<ConsumerRecord | undefined, StorageError>
  /** Locks a consumer: no other transaction can change or remove it until this one ends. */
  readonly lock: (name: string) => Effect.Effect<ConsumerRecord | undefined, StorageError, Transaction>
  /** Consumers in ascending name, above `after` ("" for all). */
  readonly list: (after: string, limit: number) => Effect.Effect<ReadonlyArray<ConsumerRecord>, StorageError>
  /** The least position of all consumers; that of a parked event is below it. Undefined if there are no consumers. */
  readonly lowest: Effect.Effect<LowestPosition | undefined, StorageError>
  /** Adds a consumer. Fails with {@link Duplicate} if the name is taken. */
  readonly insert: (consumer: ConsumerRecord) => Effect.Effect<void, Duplicate | StorageError, Transaction>
  /** Replaces a locked consumer, whose `createdAt` stays the same. */
  readonly save: (consumer: ConsumerRecord) => Effect.Effect<void, StorageError, Transaction>
  /** Removes a locked consumer that has no parked events. */
  readonly remove: (name: string) => Effect.Effect<void, StorageError, Transaction>
}
