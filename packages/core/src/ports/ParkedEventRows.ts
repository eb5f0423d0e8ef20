import type * as Effect from "effect/Effect"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** An event that a consumer has passed without handling it, because it failed too often. */
export interface ParkedEventRecord {
  readonly consumer: string
  /** The `seq` of the event. */
  readonly seq: number
  /** How often it has failed. */
  readonly attempts: number
  readonly failure: string
  readonly parkedAt: string
  /** Whether the consumer is to handle it now. */
  readonly replay: boolean
}

/** Identifies a parked event. */
export type ParkedEventKey = Pick<ParkedEventRecord, "consumer" | "seq">

/** Stores the parked events of consumers. Lock the consumer before a write. */
export interface ParkedEventRows {
  readonly find: (key: ParkedEventKey) => Effect.Effect<ParkedEventRecord | undefined, StorageError>
  /** The parked events of a consumer, in ascending `seq`, above `after`. */
  readonly list: (
    consumer: string,
    after: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ParkedEventRecord>, StorageError>
  /** Those of them that are to be handled now. */
  readonly listReplays: (
    consumer: string,
    after: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ParkedEventRecord>, StorageError>
  /** All parked events in ascending (consumer, seq), above that pair. */
  readonly scan: (after: ParkedEventKey, limit: number) => Effect.Effect<ReadonlyArray<ParkedEventRecord>, StorageError>
  /** Writes a parked event of a locked consumer, in place of the one with its `seq` if there is one. */
  readonly save: (event: ParkedEventRecord) => Effect.Effect<void, StorageError, Transaction>
  readonly remove: (key: ParkedEventKey) => Effect.Effect<void, StorageError, Transaction>
}
