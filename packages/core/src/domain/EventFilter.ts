import type { Event, EventType } from "./Event.ts"

/** Selects events: those that have one of the types and the subject, as far as they are given; and all of another subject. */
export interface EventFilter<T extends EventType = EventType> {
  readonly types?: ReadonlySet<T> | undefined
  /** A resource, such as `pets/7`. */
  readonly subject?: string | undefined
  /** A resource whose events are selected whatever their type. */
  readonly alsoSubject?: string | undefined
}

/** Whether an event is selected. */
export const matches = <T extends EventType>(
  { alsoSubject, subject, types }: EventFilter<T>,
  event: Event
): event is Event & Event<T> =>
  ((types === undefined || (types as ReadonlySet<EventType>).has(event.type)) &&
    (subject === undefined || subject === event.subject)) ||
  (alsoSubject !== undefined && alsoSubject === event.subject)

/** The selected events of a page. */
export const select = <T extends EventType>(
  filter: EventFilter<T>,
  page: ReadonlyArray<Event>
): ReadonlyArray<Event & Event<T>> => page.filter((event) => matches(filter, event))

/** The same text for filters that select the same; undefined for one that selects everything. */
export const keyOf = ({ alsoSubject, subject, types }: EventFilter): string | undefined =>
  types === undefined && subject === undefined
    ? undefined
    : JSON.stringify([types === undefined ? null : [...types].sort(), subject ?? null, alsoSubject ?? null])

/** What there is in a page, so that many filters need not look at each event. */
export interface PageSummary {
  readonly types: ReadonlySet<EventType>
  readonly subjects: ReadonlySet<string>
}

/** Whether a page may have selected events; false only if it has none. */
export const mayMatch = ({ alsoSubject, subject, types }: EventFilter, page: PageSummary): boolean => {
  if (alsoSubject !== undefined && page.subjects.has(alsoSubject)) return true
  if (subject !== undefined && !page.subjects.has(subject)) return false
  if (types === undefined) return true
  for (const type of page.types) if (types.has(type)) return true
  return false
}
