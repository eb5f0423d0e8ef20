import type { Event, EventType } from "../domain/Event.ts"
import type { EventQuery, PageQuery } from "../domain/Filters.ts"
import type { Page } from "../domain/Page.ts"
import type { CallOptions } from "../services/Options.ts"

/** Which events a subscription gets, and what becomes of errors. */
export interface SubscribeOptions<T extends EventType = EventType> extends EventQuery<T> {
  /**
   * Called, and waited for, with what the listener threw and the event; then the next event comes. Called without an event
   * where the log could not be read; it is read again when something more is committed. Absent, both are logged.
   */
  readonly onError?: ((error: unknown, event: Event<T> | undefined) => unknown) | undefined
  /** Ends the subscription. */
  readonly signal?: AbortSignal | undefined
}

/** A listener and its place in the event log. */
export interface Subscription {
  /**
   * The `seq` up to which all is handled. Keep it, and give it as `after` to go on there later: an event that was being
   * handled when the process ended comes again.
   */
  readonly position: number
  /** No further call of the listener begins. One that has begun goes on, and counts for {@link position} when it is done. */
  close(): void
  /** The same as {@link close}, for `using`. */
  [Symbol.dispose](): void
}

/** The event log. */
export interface EventCommands {
  /** The `seq` of the last event; 0 where there is none. */
  latest(options?: CallOptions): Promise<number>
  /** One page, in ascending `seq`. */
  list(query?: PageQuery, options?: CallOptions): Promise<Page<Event>>
  /** All pages, one event at a time; ends with the last event that there is. */
  all(query?: PageQuery, options?: CallOptions): AsyncIterable<Event>
  /**
   * Every event behind `after`, or from the beginning of the loop on, each as soon as it is committed. The loop ends when
   * the petstore closes. It does not keep the process alive.
   */
  stream<const T extends EventType = EventType>(query?: EventQuery<T>, options?: CallOptions): AsyncIterable<Event<T>>
  /**
   * Calls a listener with every event behind `after`, or from now on, soon after its commit, whoever committed it. Calls
   * come in the order of `seq`, one at a time: a promise that the listener returns is waited for. Slow listeners hold up
   * nobody, and none keeps the process alive. It ends when the petstore closes.
   *
   * @example
   * ```ts
   * import { createPetstore } from "@petstore/core"
   *
   * const petstore = await createPetstore()
   * const subscription = await petstore.events.subscribe(
   *   (event) => console.log(`order ${event.data.id} is on its way`),
   *   { types: ["order.completed"] }
   * )
   * subscription.close()
   * await petstore.close()
   * ```
   */
  subscribe<const T extends EventType = EventType>(
    listener: (event: Event<T>) => unknown,
    options?: SubscribeOptions<T>
  ): Promise<Subscription>
}
