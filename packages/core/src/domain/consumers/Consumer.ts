import * as Schema from "effect/Schema"
import type { EventType } from "../events/Event.ts"
import { matches } from "../Text.ts"

/** The name of a consumer. Names that begin with `petstore:` are those of the petstore itself. */
export const ConsumerName = Schema.String.check(
  matches(
    /^[a-z0-9][a-z0-9._-]{0,62}$/,
    "Expected a name of 1 to 63 lower-case letters, digits, dots, hyphens and underscores, which begins with a letter or digit"
  )
)

/** The name of a consumer of the host application or of the petstore itself. */
export const AnyConsumerName = Schema.String.check(
  matches(/^(?:petstore:)?[a-z0-9][a-z0-9._-]{0,62}$/, "Expected the name of a consumer")
)

export const isConsumerName = Schema.is(AnyConsumerName)

/** The current state of a durable consumer of events. */
export interface Consumer {
  readonly name: string
  /** The `seq` of the last event that it is done with, together with all before it. */
  readonly position: number
  /** How many events of the log are behind its position, those of other types included. */
  readonly lag: number
  /** The types of events that it handles. Default: every type. */
  readonly types?: ReadonlyArray<EventType>
  /** The process that handles its events, and when its lease ends; absent if no process does. */
  readonly lease?: { readonly holder: string; readonly until: string }
  /** How often the next event has failed. */
  readonly attempts: number
  /** When that event is tried again; absent if it has not failed. */
  readonly retryAt?: string
  /** The last failure, also of an event that was handled or parked later. */
  readonly lastError?: { readonly message: string; readonly at: string }
  /** When it was registered. */
  readonly createdAt: string
}

/** An event that a consumer has passed without handling it, because it failed too often. */
export interface ParkedEvent {
  readonly seq: number
  /** How often it has failed. */
  readonly attempts: number
  readonly error: string
  readonly parkedAt: string
  /** Whether it was replayed: the consumer handles it as soon as it runs. */
  readonly replaying: boolean
}

/** The key of a parked event. Sorts by consumer, then by number. */
export const parkedKeyOf = ({ consumer, seq }: { readonly consumer: string; readonly seq: number }): string =>
  `${consumer} ${String(Math.min(Math.max(seq, 0), Number.MAX_SAFE_INTEGER)).padStart(16, "0")}`
