import type * as Effect from "effect/Effect"
import type { Event } from "../../domain/events/Event.ts"
import type { StartedCall } from "../background/calls.ts"

/** A failed attempt of a consumer to handle an event. */
export interface ConsumerFailure {
  /** How often the event has failed, from 1. */
  readonly attempt: number
  /** When it is tried again; absent if it is parked. */
  readonly retryAt?: string
  /** Whether it is parked, so that the next event follows. */
  readonly parked: boolean
}

/** Starts to handle an event. Returns the exit if it is handled already. It must not throw. */
export type HandlerStart = (event: Event, attempt: number) => StartedCall

/** How the events of a consumer are handled. */
export type EventHandler =
  | {
      /** The same as `each`, without a fiber for an event. */
      readonly kind: "calls"
      readonly start: HandlerStart
    }
  | {
      /** One event at a time, outside of transactions: at least once. */
      readonly kind: "each"
      readonly handle: (event: Event, attempt: number) => Effect.Effect<unknown, unknown>
    }

export interface Consuming {
  readonly handler: EventHandler
  /** Parks an event after this number of failed attempts. Default: never. */
  readonly parkAfter?: number | undefined
  /** Maximum number of events, of different subjects, that a handler of single events handles at the same time. Default: 1. */
  readonly concurrency?: number | undefined
  /** Milliseconds after which an attempt counts as failed. */
  readonly timeout: number
  /** Called after each failure: without an event if the log could not be read or the position not be recorded. */
  readonly onFailure: (error: unknown, event?: Event, failure?: ConsumerFailure) => Effect.Effect<void>
}
