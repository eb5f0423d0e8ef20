import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { NewEvent } from "../../domain/events/Event.ts"
import { digits, eventIds, idsOf } from "../../domain/events/EventId.ts"
import { formatTimestamp, parseTimestamp } from "../../domain/Timestamp.ts"
import { asking } from "../../ports/Direct.ts"
import { Hasher } from "../../ports/Hasher.ts"
import { Storage } from "../../ports/Storage.ts"
import { type EventToAppend, traceparent } from "../../tables/eventTable.ts"
import { storeTime } from "../time.ts"

/** Milliseconds. Corrections of synchronized clocks are smaller. */
const toleratedStepMillis = 60_000

/** An event as the log receives it. A class for the same reason as the entries of a transaction: one command may make many. */
class StampedEvent {
  declare readonly id: string
  declare readonly type: NewEvent["type"]
  declare readonly timestamp: string
  declare readonly subject: string
  declare readonly data: object

  constructor(id: string, { data, subject, type }: NewEvent, timestamp: string) {
    this.id = id
    this.type = type
    this.timestamp = timestamp
    this.subject = subject
    this.data = data
  }
}

/** The time, ids that sort by time, and the event log: what every command records in addition to its own rows. */
export class Journal extends Context.Service<
  Journal,
  {
    /** The current time of the clock that all petstores of the store share, to compare with expiry times. It goes back if that clock is set back. */
    readonly clockTime: Effect.Effect<string>
    /**
     * The current time, for records. It does not go back if the clock is set back by less than a minute; if it is by more,
     * the time before was wrong. Petstores on several machines agree only to some milliseconds, so the times of their records need
     * not rise along the event log; `seq` is its order.
     */
    readonly now: Effect.Effect<string>
    /** A new identity with this prefix: those of one journal sort in the order in which they were made. */
    readonly nextId: (prefix: string) => Effect.Effect<string>
    /** The same as `nextId`, by this clock. */
    readonly idAt: (prefix: string, clock: Clock.Clock) => string
    /** The same as `clockTime`, by this clock. */
    readonly timeOf: (clock: Clock.Clock) => string
    /** The same as `now`, by this clock. */
    readonly time: (clock: Clock.Clock) => string
    /** Events with a new identity each, and with the trace of the call that writes them. */
    readonly stamped: (
      clock: Clock.Clock,
      at: string,
      events: ReadonlyArray<NewEvent>,
      trace: string | undefined
    ) => ReadonlyArray<EventToAppend>
  }
>()("@petstore/core/events/Journal") {
  static readonly layer = Layer.effect(
    Journal,
    Effect.gen(function* () {
      const hasher = yield* Hasher
      const storeTimeOf = storeTime(yield* Storage)
      // Distinguishes journals on one database.
      const journal = Array.from(hasher.randomBytes(8), (byte) => digits(byte % 36, 1)).join("")
      let formatted = { millis: 0, text: formatTimestamp(0) }
      let latest = 0
      let latestOfIds = 0
      let counter = 0

      const text = (millis: number): string => {
        if (millis !== formatted.millis) formatted = { millis, text: formatTimestamp(millis) }
        return formatted.text
      }
      const timeOf = (clock: Clock.Clock): string => text(storeTimeOf(clock))
      const clockTime = asking(({ services }) => Exit.succeed(timeOf(Context.get(services, Clock.Clock))))
      const time = (clock: Clock.Clock): string => {
        const read = storeTimeOf(clock)
        if (read > latest || latest - read >= toleratedStepMillis) latest = read
        return text(latest)
      }
      const now = Clock.clockWith((clock) => Effect.succeed(time(clock)))
      const eventIdOf = eventIds(journal)
      const makers = new Map<string, ReturnType<typeof idsOf>>()
      const count = (read: number): number => {
        if (read > latestOfIds) {
          latestOfIds = read
          counter = 0
        }
        return counter++
      }
      const idAt = (prefix: string, clock: Clock.Clock): string => {
        const number = count(storeTimeOf(clock))
        const idOf = makers.get(prefix) ?? idsOf(prefix, journal)
        makers.set(prefix, idOf)
        return idOf(latestOfIds, number)
      }
      const nextId = (prefix: string) => Clock.clockWith((clock) => Effect.succeed(idAt(prefix, clock)))
      const millisOf = (time: string): number =>
        time === formatted.text ? formatted.millis : (parseTimestamp(time) ?? 0)
      const stamped: Journal["Service"]["stamped"] = (clock, timestamp, all, trace) => {
        // The clock may have been set back since the time of the change.
        const read = Math.max(storeTimeOf(clock), millisOf(timestamp))
        return all.map((one) => {
          const number = count(read)
          // The properties of an event lose the type that ties its data to its type.
          const event = new StampedEvent(eventIdOf(latestOfIds, number), one, timestamp) as EventToAppend
          return trace === undefined ? event : { ...event, [traceparent]: trace }
        })
      }

      return { clockTime, idAt, nextId, now, stamped, time, timeOf }
    })
  )
}
