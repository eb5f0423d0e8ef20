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
export class PageSummary {
  /** The `seq` of its first event. */
  readonly first: number
  /** The `seq` of its last event. */
  readonly last: number
  private readonly page: ReadonlyArray<Event>
  private foundTypes: Set<EventType> | undefined
  private foundSubjects: ReadonlySet<string> | undefined

  constructor(page: ReadonlyArray<Event>) {
    this.first = page[0]?.seq ?? 0
    this.last = page.at(-1)?.seq ?? 0
    this.page = page
  }

  get types(): ReadonlySet<EventType> {
    if (this.foundTypes === undefined) {
      this.foundTypes = new Set()
      for (const { type } of this.page) this.foundTypes.add(type)
    }
    return this.foundTypes
  }

  get subjects(): ReadonlySet<string> {
    this.foundSubjects ??= new Set(this.page.map(({ subject }) => subject))
    return this.foundSubjects
  }
}

/** Whether a page may have selected events; false only if it has none. */
export const mayMatch = ({ alsoSubject, subject, types }: EventFilter, page: PageSummary): boolean => {
  if (alsoSubject !== undefined && page.subjects.has(alsoSubject)) return true
  if (subject !== undefined && !page.subjects.has(subject)) return false
  if (types === undefined) return true
  for (const type of page.types) if (types.has(type)) return true
  return false
}
