import type * as Duration from "effect/Duration"
import type { Consumer, ParkedEvent } from "../domain/consumers/Consumer.ts"
import type { Event, EventQuery, EventType } from "../domain/events/Event.ts"
import type { Page } from "../domain/Page.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import type { CallOptions } from "../programs/Options.ts"
import type { ConsumerFailure } from "../runtime/consumers/EventHandler.ts"

/** Which events a consumer handles, and what happens to an event that fails. */
export interface ConsumeSettings<T extends EventType = EventType> extends Pick<EventQuery<T>, "types"> {
  /**
   * The `seq` after which the consumer starts when its name is new; 0 for all events. Default: new events only. Ignored if the name
   * is known.
   */
  readonly after?: number | undefined
  /** Parks an event after this number of failed attempts, and continues with the next one. Default: the consumer never skips an event. */
  readonly parkAfter?: number | undefined
  /** Maximum duration of an attempt, after which it counts as failed. Default: 5 minutes. */
  readonly timeout?: Duration.Input | undefined
  /**
   * Maximum number of events that are handled at the same time. Default: 1. Those of one subject are handled one after the other, in order.
   */
  readonly concurrency?: number | undefined
}

/** The options of `petstore.events.consume`. */
export interface ConsumeOptions<T extends EventType = EventType> extends ConsumeSettings<T> {
  /**
   * Called with what the handler threw, the event and when it is tried again; without an event if the store failed.
   * Default: failures are logged.
   */
  readonly onError?:
    | ((error: unknown, event: Event<T> | undefined, failure: ConsumerFailure | undefined) => unknown)
    | undefined
  /** Closes the consumer. */
  readonly signal?: AbortSignal | undefined
}

/** What the handler of a consumer receives with an event. */
export interface EventAttempt {
  /** 1 for the first attempt, as far as the store knows: a process that died has not counted its own. */
  readonly attempt: number
  /** Aborted when the handler takes too long, when the petstore closes, and when another process takes over. */
  readonly signal: AbortSignal
}

/** A consumer that was opened in this process. */
export interface OpenConsumer {
  readonly name: string
  /** Starts no further event, waits for the event in progress, and records the position. */
  close(): Promise<void>
  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * The methods of `petstore.events.consumers`.
 *
 * @beta
 */
export interface ConsumersMethods {
  /** Lists one page of the consumers of this database, in the order of their names. */
  list(query?: PageQuery, options?: CallOptions): Promise<Page<Consumer>>
  /** Reads a consumer. Fails with `not_found`. */
  get(name: string, options?: CallOptions): Promise<Consumer>
  /** Removes a consumer with its position and its parked events. Open consumers of this name end. Fails with `not_found`. */
  remove(name: string, options?: CallOptions): Promise<void>
  /** Lists one page of the parked events of a consumer, in ascending order of `seq`. Fails with `not_found`. */
  parked(name: string, query?: PageQuery, options?: CallOptions): Promise<Page<ParkedEvent>>
  /** Handles a parked event once more; a success removes it. Fails with `not_found`. */
  replay(name: string, seq: number, options?: CallOptions): Promise<void>
  /** Forgets a parked event, so that it is never handled. Fails with `not_found`. */
  discard(name: string, seq: number, options?: CallOptions): Promise<void>
}

/** The durable consumers of events, which only a petstore in process has. */
export interface ConsumerMethods {
  /**
   * Calls a handler with every event, at least once and in order of `seq`, whichever process is running: the position is kept in
   * the store under this name. Of all processes that open the name, one handles events at a time. If the handler throws, the
   * event is tried again after 1 s, 2 s and so on up to 5 minutes, and no other event before it. The consumer ends when the
   * petstore closes; it does not keep the process alive.
   *
   * @example
   * ```ts
   * import { createPetstore } from "@petstore/core"
   *
   * const petstore = await createPetstore()
   * const consumer = await petstore.events.consume(
   *   "invoices",
   *   async (event) => console.log(`invoice for order ${event.data.id}`),
   *   { types: ["order.completed"] }
   * )
   * await consumer.close()
   * await petstore.close()
   * ```
   */
  consume<const T extends EventType = EventType>(
    name: string,
    handler: (event: Event<T>, attempt: EventAttempt) => unknown,
    options?: ConsumeOptions<T>
  ): Promise<OpenConsumer>
  readonly consumers: ConsumersMethods
}
