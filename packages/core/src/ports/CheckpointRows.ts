import type * as Effect from "effect/Effect"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** What is kept of events that were removed from the log. The engine defines what the rows mean. */
export interface CheckpointRecord {
  /** What the row is about, such as `orders/7`; unique. ASCII. */
  readonly subject: string
  /** The last event that the row includes. That of the row `log` is the last event that was removed. */
  readonly seq: number
  /** As JSON. */
  readonly state: string
}

/** Stores what is kept of events that were removed from the log. */
export interface CheckpointRows {
  /** Reads the rows of these subjects, in any order. */
  readonly find: (subjects: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<CheckpointRecord>, StorageError>
  /**
   * Returns the row of a subject. Whether or not there is one, no other transaction can lock it until this one ends. Fails with
   * `StorageBusy` if another transaction holds the lock for more than 3 s.
   */
  readonly lock: (subject: string) => Effect.Effect<CheckpointRecord | undefined, StorageError, Transaction>
  /** Writes rows, in place of those of the same subjects. */
  readonly save: (records: ReadonlyArray<CheckpointRecord>) => Effect.Effect<void, StorageError, Transaction>
  readonly remove: (subjects: ReadonlyArray<string>) => Effect.Effect<void, StorageError, Transaction>
  /** All rows in ascending subject, above `after` ("" for all). */
  readonly scan: (after: string, limit: number) => Effect.Effect<ReadonlyArray<CheckpointRecord>, StorageError>
}
