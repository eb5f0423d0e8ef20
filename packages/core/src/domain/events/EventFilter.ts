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
  /** Only events of orders that belong to this owner, which need the owners of a page, and of {@link shownTypes}. */
  readonly owner?: string | undefined
  /** The types that {@link owner} does not limit. Default: none. */
  readonly shownTypes?: ReadonlySet<EventType> | undefined
}

/** Whether the owner that a filter has may see an event. */
const isShown = ({ owner, shownTypes }: EventFilter, { subject, type }: Event, owners?: OrderOwners): boolean =>
  owner === undefined || shownTypes?.has(type) === true || owners?.get(subject) === owner

export const matches = <T extends EventType>(
  filter: EventFilter<T>,
  event: Event,
  owners?: OrderOwners
): event is Event & Event<T> => {
  const { alsoSubject, subject, types } = filter
  return (
    isShown(filter, event, owners) &&
    (((types === undefined || (types as ReadonlySet<EventType>).has(event.type)) &&
      (subject === undefined || subject === event.subject)) ||
      (alsoSubject !== undefined && alsoSubject === event.subject))
  )
}

/** The selected events of a page. */
export const select = <T extends EventType>(
  filter: EventFilter<T>,
  page: ReadonlyArray<Event>,
  owners?: OrderOwners
): ReadonlyArray<Event & Event<T>> => page.filter((event) => matches(filter, event, owners))

const sorted = (types: ReadonlySet<EventType> | undefined): ReadonlyArray<EventType> | null =>
  types === undefined ? null : [...types].sort()

/** The same text for filters that select the same; undefined for one that selects everything. */
export const keyOf = ({ alsoSubject, owner, shownTypes, subject, types }: EventFilter): string | undefined =>
  types === undefined && subject === undefined && owner === undefined
    ? undefined
    : JSON.stringify([sorted(types), subject ?? null, alsoSubject ?? null, owner ?? null, sorted(shownTypes)])

/** What there is in a page, so that many filters need not look at each event. */
export interface PageSummary {
  readonly types: ReadonlySet<EventType>
  readonly subjects: ReadonlySet<string>
  /** The owners of its orders; undefined if they were not looked up. */
  readonly ownersFound: ReadonlySet<string> | undefined
}

const hasAny = ({ types }: PageSummary, wanted: ReadonlySet<EventType> | undefined): boolean => {
  if (wanted !== undefined) for (const type of types) if (wanted.has(type)) return true
  return false
}

/** Whether a page may have selected events; false only if it has none. */
export const mayMatch = (filter: EventFilter, page: PageSummary): boolean => {
  const { alsoSubject, owner, shownTypes, subject, types } = filter
  if (owner !== undefined && page.ownersFound?.has(owner) === false && !hasAny(page, shownTypes)) return false
  if (alsoSubject !== undefined && page.subjects.has(alsoSubject)) return true
  if (subject !== undefined && !page.subjects.has(subject)) return false
  return types === undefined || hasAny(page, types)
}
