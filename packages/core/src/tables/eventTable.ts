import type { Event, NewEvent } from "../domain/events/Event.ts"
import type { Log } from "../kernel/Table.ts"

/**
 * The key of the trace context of an event, in the form of the header `traceparent` (W3C): that of the call that wrote it, if that was
 * traced. It is a symbol, so it is in the store and in the record, but in no JSON, and no copy by names has it. What handles the event links to
 * that call and is no child of it: it runs later, in other processes and for many events.
 */
export const traceparent: unique symbol = Symbol.for("@petstore/core/ports/traceparent")

/** What may have been written by a call that was traced. */
export interface Traced {
  readonly [traceparent]?: string
}

/** An event with its identity; `data` as it was when it happened. */
export type EventToAppend = NewEvent & { readonly id: string; readonly timestamp: string } & Traced

/**
 * An event in the log. `seq` has no gap and follows the order of commits: if a transaction changed a row after another one, or
 * began after it returned, its events come later. Timestamps of several machines need not rise along the log.
 */
export type EventRecord = Event & Traced

/** The log of events, which stores keep in a form of their own, as commands add to it. */
export const events: Log<EventToAppend> = { name: "events", rows: [] }

/** The same log as commands read it. */
export const recordedEvents: Log<EventRecord> = { name: "events", rows: [] }
