import type { Event, EventType } from "./Event.ts"

/** Whom orders belong to, by the subjects of their events, such as `orders/12`. */
export type OrderOwners = ReadonlyMap<string, string>

/** Selects events: those that have one of the types and the subject, as far as they are given; and all of another subject. */
export interface EventFilter<T extends EventType = EventType> {
  readonly types?: ReadonlySet<T> | undefined
  /** A resource, such as `pets/7`. */
  readonly subject?: string | undefined
  /** A resource whose events are selected whatever their type. */
  readonly alsoSubject?: string | undefined
  /** Only events of orders that belong to this owner; none without the owners of a page. */
  readonly owner?: string | undefined
}

/** Whether an event is selected. */
export const matches = <T extends EventType>(
  { alsoSubject, owner, subject, types }: EventFilter<T>,
  event: Event,
  owners?: OrderOwners
): event is Event & Event<T> =>
  (owner === undefined || owners?.get(event.subject) === owner) &&
  (((types === undefined || (types as ReadonlySet<EventType>).has(event.type)) &&
    (subject === undefined || subject === event.subject)) ||
    (alsoSubject !== undefined && alsoSubject === event.subject))

/** The selected events of a page. */
export const select = <T extends EventType>(
  filter: EventFilter<T>,
  page: ReadonlyArray<Event>,
  owners?: OrderOwners
): ReadonlyArray<Event & Event<T>> => page.filter((event) => matches(filter, event, owners))

/** The same text for filters that select the same; undefined for one that selects everything. */
export const keyOf = ({ alsoSubject, owner, subject, types }: EventFilter): string | undefined =>
  types === undefined && subject === undefined && owner === undefined
    ? undefined
    : JSON.stringify([
        types === undefined ? null : [...types].sort(),
        subject ?? null,
        alsoSubject ?? null,
        owner ?? null
      ])

/** What there is in a page, so that many filters need not look at each event. */
export interface PageSummary {
  readonly types: ReadonlySet<EventType>
  readonly subjects: ReadonlySet<string>
  /** The owners of its orders; undefined if they were not looked up. */
  readonly ownersFound: ReadonlySet<string> | undefined
}

/** Whether a page may have selected events; false only if it has none. */
export const mayMatch = ({ alsoSubject, owner, subject, types }: EventFilter, page: PageSummary): boolean => {
  if (owner !== undefined && page.ownersFound?.has(owner) === false) return false
  if (alsoSubject !== undefined && page.subjects.has(alsoSubject)) return true
  if (subject !== undefined && !page.subjects.has(subject)) return false
  if (types === undefined) return true
  for (const type of page.types) if (types.has(type)) return true
  return false
}
