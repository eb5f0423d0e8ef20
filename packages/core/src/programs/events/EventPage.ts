import type { Event, EventType } from "../../domain/events/Event.ts"
import type { OrderOwners, PageSummary } from "../../domain/events/EventFilter.ts"
import { frozen } from "../../domain/rules/RuleBook.ts"
import type { DeferredEvents } from "../../ports/EventRows.ts"

/** Any data, by the names of its fields. */
const fieldsOf = (data: object): Readonly<Record<string, unknown>> => data as Readonly<Record<string, unknown>>

/** Makes events safe to give to several followers. */
export const freeze = (events: ReadonlyArray<Event>): void => {
  for (const event of events) {
    const data = fieldsOf(event.data)
    // Few have lists or objects, and to look for them by `Object.values` takes several times as long as to freeze the event.
    for (const name in data) if (typeof data[name] === "object") frozen(data[name])
    Object.freeze(data)
    Object.freeze(event)
  }
}

/** Events that are at hand, as a page whose events need not be made. */
export const eventsAtHand = (events: ReadonlyArray<Event>): DeferredEvents => new EventsAtHand(events)

// A class, since V8 keeps an object that is written with a getter, and all that it refers to, until the next full collection.
class EventsAtHand implements DeferredEvents {
  readonly first: number
  readonly last: number
  private readonly events: ReadonlyArray<Event>
  private foundTypes: Set<EventType> | undefined

  constructor(events: ReadonlyArray<Event>) {
    this.first = events[0]?.seq ?? 1
    this.last = events.at(-1)?.seq ?? this.first - 1
    this.events = events
  }

  get types(): ReadonlySet<EventType> {
    if (this.foundTypes === undefined) {
      this.foundTypes = new Set()
      for (const { type } of this.events) this.foundTypes.add(type)
    }
    return this.foundTypes
  }

  readonly load = (): ReadonlyArray<Event> => this.events
}

/** Events that follow each other in the log. They are made and frozen when the first follower wants some of them. */
export class EventPage implements PageSummary {
  readonly first: number
  readonly last: number
  /** Undefined if they were not looked up. */
  readonly owners: OrderOwners | undefined
  private readonly source: DeferredEvents
  private made: ReadonlyArray<Event> | undefined
  private foundSubjects: ReadonlySet<string> | undefined
  private foundOwners: ReadonlySet<string> | undefined

  constructor(source: DeferredEvents, owners?: OrderOwners) {
    this.first = source.first
    this.last = source.last
    this.source = source
    this.owners = owners
  }

  get ownersFound(): ReadonlySet<string> | undefined {
    this.foundOwners ??= this.owners && new Set(this.owners.values())
    return this.foundOwners
  }

  get types(): ReadonlySet<EventType> {
    return this.source.types
  }

  get subjects(): ReadonlySet<string> {
    this.foundSubjects ??= new Set(this.events.map(({ subject }) => subject))
    return this.foundSubjects
  }

  get events(): ReadonlyArray<Event> {
    if (this.made === undefined) {
      this.made = this.source.load()
      freeze(this.made)
    }
    return this.made
  }

  /** The events after a position, up to another one; the same array for all of them. */
  between(after: number, last: number): ReadonlyArray<Event> {
    const { events } = this
    return after < this.first && last >= this.last
      ? events
      : events.slice(Math.max(0, after + 1 - this.first), last + 1 - this.first)
  }
}
