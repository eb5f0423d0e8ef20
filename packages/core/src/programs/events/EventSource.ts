import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Event, EventListQuery, EventType } from "../../domain/events/Event.ts"
import type { EventFilter } from "../../domain/events/EventFilter.ts"
import type { Page } from "../../domain/Page.ts"

/** A reader of the event log that continues where it stopped. It is used by one caller at a time. */
export interface Follower<T extends EventType, E> {
  /** The `seq` that it started after. */
  readonly start: number
  /** The `seq` up to which everything was returned that is selected. */
  readonly position: number
  /** Whether the petstore closes, so that nothing more comes. */
  readonly isClosed: boolean
  /**
   * The next selected events, in order and at least one: waits until there are some. Fails with `ShuttingDown` once the petstore
   * closes, and with `CursorExpired` if the next event is no longer kept. After another failure, run it again to continue at the same place as soon as more is committed. Events are
   * frozen, because several followers receive the same.
   */
  readonly next: Effect.Effect<ReadonlyArray<Event<T>>, E>
  /** The next selected events that are in memory already, perhaps none. */
  readonly take: () => ReadonlyArray<Event<T>>
  /** Whether more must be read from the log, or a failure to read it reported, by {@link read}. */
  readonly mustRead: boolean
  /** Reads one page of the log, and returns the selected events in it, perhaps none. */
  readonly read: Effect.Effect<ReadonlyArray<Event<T>>, E>
  /**
   * Calls a function once when there may be more to take or to read, or nothing more comes; at most one function at a time. It
   * must return soon and not throw.
   */
  readonly onMore: (notify: () => void) => void
}

/** A follower of the log of this process, which can go back. */
export interface LogFollower<T extends EventType, E> extends Follower<T, E> {
  /** Returns the events after a `seq` again, which is not before the last page that was taken or read. */
  readonly rewind: (seq: number) => void
}

/** An event log, in this process or a remote one, to be read page by page or followed as it grows. Lists may have more errors. */
export interface EventSource<E, ListError = never> {
  /** The `seq` of the last event; 0 if there is none. */
  readonly latest: Effect.Effect<number, E>
  /**
   * Lists a page of the events that are kept. With a filter, it reads a bounded part of the log: a page may have fewer events
   * than its limit, or none, though there are more on the next one. Fails with `CursorExpired` if the events after a position
   * are no longer kept.
   */
  readonly list: (query?: EventListQuery) => Effect.Effect<Page<Event>, E | ListError>
  /**
   * Follows the log after a `seq`, or from now on, until the scope closes. Fails with `CursorExpired` if the event after that
   * `seq` is no longer kept.
   */
  readonly follow: <T extends EventType = EventType>(
    after?: number,
    filter?: EventFilter<T>
  ) => Effect.Effect<Follower<T, E>, E, Scope.Scope>
}
