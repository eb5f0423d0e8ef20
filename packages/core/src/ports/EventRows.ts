import type * as Effect from "effect/Effect"
import type { Event, NewEvent } from "../domain/Event.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** An event with its identity; `data` as it was when it happened. */
export type EventToAppend = NewEvent & { readonly id: string; readonly timestamp: string }

/** An event in the log. `seq` has no gap and follows the order of commits. */
export type EventRecord = Event

/** Stores the event log. An event is written in the transaction of the change that it reports; rows are added, never changed. */
export interface EventRows {
  readonly append: (event: EventToAppend) => Effect.Effect<void, StorageError, Transaction>
  /** The `seq` of the last event; 0 if there is none. Takes constant time, however long the log is. */
  readonly latest: Effect.Effect<number, StorageError>
  /**
   * Events in ascending `seq`, above `after`. The events of a commit may appear shortly after it returned, and those of a
   * transaction need not appear inside it. When an event has appeared, so have all before it.
   */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<EventRecord>, StorageError>
}
