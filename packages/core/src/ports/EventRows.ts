import type * as Effect from "effect/Effect"
import type { EventType } from "../domain/events/Event.ts"
import type { EventRecord } from "../tables/eventTable.ts"
import type { StorageError } from "./StorageError.ts"

/** An event that was not read as a whole. */
export interface EventOutline {
  readonly seq: number
  /** Its subject, and the row that it names beside that; undefined if the whole event must be read for that. */
  readonly about: { readonly type: EventType; readonly id: number; readonly related: number | undefined } | undefined
}

/** A page of the log whose events are made when they are needed. */
export interface DeferredEvents {
  /** The `seq` of the first event. */
  readonly first: number
  /** The `seq` of the last event; below {@link first} if there are none. */
  readonly last: number
  /** The types that occur. */
  readonly types: ReadonlySet<EventType>
  /** The events as `scan` would have returned them when the page was read, whatever has become of the log since. Called at most once. */
  readonly load: () => ReadonlyArray<EventRecord>
}

/** Reads the event log. An event is written in the transaction of the change that it reports; rows are added and removed, never changed. */
export interface EventRows {
  /**
   * The `seq` of the last event; 0 if there is none. Counts the events of every transaction that returned, on any store of
   * the database, before the call. Takes constant time, however long the log is.
   */
  readonly latest: Effect.Effect<number, StorageError>
  /**
   * Events in ascending `seq`, above `after`. When an event has appeared, so have all before it. A page that is not full
   * contains the events of every transaction that returned before the call; those of a transaction need not appear inside
   * it. A transaction that stays open does not hold back the events of others.
   */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<EventRecord>, StorageError>
  /**
   * The events of `scan`, if a store finds their types at a lower cost than the events. Followers of other types then cost a commit
   * next to nothing, so a store that has this passes no events to watches. Absent: the petstore uses `scan`.
   */
  readonly scanDeferred?: (after: number, limit: number) => Effect.Effect<DeferredEvents, StorageError>
  /**
   * The events of `scan` in outline, if a store reads that at a lower cost: the type, the id in the subject, and the
   * `relatedField` in the data, as `find` returns them. Absent: the petstore uses `scan`.
   */
  readonly scanOutlines?: (after: number, limit: number) => Effect.Effect<ReadonlyArray<EventOutline>, StorageError>
  /** The events with these numbers that have appeared, in ascending `seq`. At most 1,000 numbers, in any order. */
  readonly find: (seqs: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<EventRecord>, StorageError>
  /**
   * The events about a resource, such as `orders/17`, in ascending `seq` above a position, or in descending `seq` below it, by the index
   * `events.subject` of `buildIndexes`, without which it is not called. Absent if the store builds none, and in transactions.
   */
  readonly ofSubject?: (
    subject: string,
    position: number,
    limit: number,
    isReversed: boolean
  ) => Effect.Effect<ReadonlyArray<EventRecord>, StorageError>
}
