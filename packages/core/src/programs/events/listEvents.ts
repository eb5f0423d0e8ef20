import * as Effect from "effect/Effect"
import { InvalidCursor } from "../../domain/errors/InputErrors.ts"
import type { Event, EventListQuery } from "../../domain/events/Event.ts"
import { type EventFilter, keyOf, matches } from "../../domain/events/EventFilter.ts"
import { parseWhole } from "../../domain/Id.ts"
import { limits } from "../../domain/limits.ts"
import { formatCursor, type Page, parseCursor } from "../../domain/Page.ts"
import { NotIndexed } from "../../domain/records/RecordErrors.ts"
import { plusMillis } from "../../domain/Timestamp.ts"
import type { EventRows } from "../../ports/EventRows.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { type FindOwners, type OwnedEvents, type OwnedPart, ownerAlone } from "./OwnedEvents.ts"

/** Milliseconds by which clocks may differ or be set back, and which a transaction may last, without an event being missed. */
export const clockDriftMillis = 10_000

/** Reads the log. */
type ScanEvents<E> = (after: number, limit: number) => Effect.Effect<ReadonlyArray<Event>, E>

interface Times {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Where an event is among those since a time and before another one; `behind` if so are all that follow in the order of the list. */
const placeOf = (
  { timestamp }: Event,
  { since, until }: Times,
  isReversed = false
): "outside" | "within" | "behind" => {
  if (until !== undefined && timestamp >= until) {
    return !isReversed && timestamp >= plusMillis(until, clockDriftMillis) ? "behind" : "outside"
  }
  if (since === undefined || timestamp >= since) return "within"
  return isReversed && timestamp < plusMillis(since, -clockDriftMillis) ? "behind" : "outside"
}

/** Finds the position behind which all events since a time are. 0 if events that are no longer kept may be among them. */
export const positionSince = <E>(scan: ScanEvents<E>, latest: number, since: string): Effect.Effect<number, E> =>
  positionBefore(scan, latest, plusMillis(since, -clockDriftMillis))

/** Finds the last position before which all events before a time are. */
const endBefore = <E>(scan: ScanEvents<E>, latest: number, until: string): Effect.Effect<number, E> =>
  Effect.map(positionBefore(scan, latest, plusMillis(until, clockDriftMillis)), (position) => position + 1)

/**
 * Finds the last event before a time, in a log whose `seq` has no gap: it reads as many events as the length of the log has binary digits.
 * 0 if it is no longer kept.
 */
const positionBefore = <E>(scan: ScanEvents<E>, latest: number, start: string): Effect.Effect<number, E> =>
  Effect.gen(function* () {
    const [first] = yield* scan(0, 1)
    const kept = first?.seq ?? latest + 1
    let from = kept
    let to = latest + 1
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      const [event] = yield* scan(middle - 1, 1)
      if (event !== undefined && event.timestamp < start) from = event.seq + 1
      else to = middle
    }
    return from === kept ? 0 : from - 1
  })

/** How many events one call looks at, at most, for those that are selected: indexes by type and subject would make each commit write two more rows, so a shop switches on the latter. */
const mostSearched = 1_000

const positionOf = (list: string, filters: Readonly<Record<string, unknown>>, query: EventListQuery) => {
  if (query.cursor === undefined) return query.after ?? 0
  return parseWhole(parseCursor(list, filters, query.cursor) ?? "")
}

const filtersOf = ({ after, since, sort, subject, types, until }: EventListQuery) => ({
  after,
  sort: sort === "seq" ? undefined : sort,
  since,
  until,
  subject,
  types: types === undefined ? undefined : [...new Set(types)].sort().join()
})

/** The same for a caller who sees nothing but events of their own orders: it reads only these where the log is indexed. */
const listOwned = <E>(
  query: EventListQuery,
  start: number,
  scan: ScanEvents<E>,
  filter: Pick<EventFilter, "subject" | "types">,
  ownedAfter: (position: number) => Effect.Effect<OwnedPart, StorageError>
): Effect.Effect<Page<Event>, E | StorageError> =>
  Effect.gen(function* () {
    const { limit = limits.defaultPage } = query
    const items: Array<Event> = []
    // Fails if what follows is no longer kept.
    const [first] = yield* scan(start, 1)
    if (first === undefined) return { items }
    let position = Math.max(start, first.seq - 1)
    const next = (): string => formatCursor("events", filtersOf(query), position)
    let seen = 0
    while (true) {
      const part = yield* ownedAfter(position)
      for (const event of part.events) {
        const place = placeOf(event, query)
        if (place === "behind") return { items }
        const isSelected = place === "within" && matches({ subject: filter.subject, types: filter.types }, event)
        if (isSelected && items.length === limit) return { items, next: next() }
        position = event.seq
        if (isSelected) items.push(event)
      }
      position = part.last
      seen += part.read
      if (part.isEnd) return { items }
      if (seen >= mostSearched) return { items, next: next() }
    }
  })

/** How a list reads the log. */
export interface EventReads<E> {
  readonly latest: Effect.Effect<number, StorageError>
  /** Fails for a position whose events are no longer kept, if the caller gave one. */
  readonly scan: ScanEvents<E>
  /** Reads any part of the log. */
  readonly search: ScanEvents<StorageError>
  /** Reads the events of a resource, if the shop has switched on their index and the store has it. */
  readonly ofSubject: EventRows["ofSubject"]
  readonly isIndexed: boolean
}

/** The next events behind a position in the order of a list, and whether no more follow. */
interface Step {
  readonly events: ReadonlyArray<Event>
  readonly isEnd: boolean
}
type Walk<E> = (position: number) => Effect.Effect<Step, E | StorageError>

/** Reads the log from its end, down to the position after which the list starts. */
const backwards =
  (search: ScanEvents<StorageError>, after: number, pageSize: number): Walk<never> =>
  (position) => {
    const start = Math.max(after, position - 1 - pageSize)
    return Effect.map(search(start, position - 1 - start), (page) => {
      const events = page.filter(({ seq }) => seq < position).reverse()
      return { events, isEnd: start <= after || events.at(-1)?.seq !== start + 1 }
    })
  }

const walkOf = <E>(
  { after = 0, sort, subject }: EventListQuery,
  { ofSubject, scan, search }: EventReads<E>,
  pageSize: number
): Walk<E> => {
  const whole = (events: ReadonlyArray<Event>): Step => ({ events, isEnd: events.length < pageSize })
  const isReversed = sort === "-seq"
  if (subject !== undefined && ofSubject !== undefined) {
    return (position) =>
      Effect.map(ofSubject(subject, position, pageSize, isReversed), (page) => {
        const last = isReversed ? page.findIndex(({ seq }) => seq <= after) : -1
        return last < 0 ? whole(page) : { events: page.slice(0, last), isEnd: true }
      })
  }
  return isReversed ? backwards(search, after, pageSize) : (position) => Effect.map(scan(position, pageSize), whole)
}

/** The position behind which the first page begins in the order of the list: below it if that is reversed. */
const beginningOf = <E>(
  { after = 0, since, sort, until }: EventListQuery,
  { latest, search }: EventReads<E>
): Effect.Effect<number, StorageError> => {
  if (sort === "-seq")
    return Effect.flatMap(latest, (last) =>
      until === undefined ? Effect.succeed(last + 1) : endBefore(search, last, until)
    )
  if (since === undefined) return Effect.succeed(after)
  return Effect.map(
    Effect.flatMap(latest, (last) => positionSince(search, last, since)),
    (position) => Math.max(after, position)
  )
}

/**
 * Lists one page of events. Its cost is bounded however long the log is, so a page has fewer events than its limit if the part
 * of the log that was read has no more that are selected.
 */
export const listEvents = <E>(
  query: EventListQuery,
  reads: EventReads<E>,
  visible: Pick<EventFilter, "owner" | "shownTypes">,
  ownersIn: FindOwners,
  owned: OwnedEvents
): Effect.Effect<Page<Event>, E | InvalidCursor | NotIndexed | StorageError> => {
  const { limit = limits.defaultPage, since, sort, subject, types, until } = query
  const { isIndexed, ofSubject, scan } = reads
  const isReversed = sort === "-seq"
  if (isReversed && subject !== undefined && !isIndexed) return Effect.fail(new NotIndexed({ name: "events.subject" }))
  const filter: EventFilter = { subject, types: types === undefined ? undefined : new Set(types), ...visible }
  const filters = filtersOf(query)
  const after = positionOf("events", filters, query)
  if (after === undefined) return Effect.fail(new InvalidCursor({}))
  const starting = query.cursor === undefined ? beginningOf(query, reads) : Effect.succeed(after)

  const owner = ownerAlone(filter)
  if (owner !== undefined && !isReversed && (subject === undefined || ofSubject === undefined)) {
    return Effect.flatMap(starting, (start) =>
      listOwned(query, start, scan, filter, (position) => owned.after(owner, position))
    )
  }

  const isFound = subject !== undefined && ofSubject !== undefined
  const others = isFound ? { ...filter, subject: undefined } : filter
  const isFiltered = keyOf(others) !== undefined || since !== undefined || until !== undefined
  const pageSize = isFiltered ? limits.page : limit + 1
  const walk = walkOf(query, reads, pageSize)
  return Effect.gen(function* () {
    const items: Array<Event> = []
    let position = yield* starting
    // Fails if what the caller has asked for is no longer kept.
    if (isReversed ? query.after !== undefined : isFound) yield* scan(isReversed ? (query.after ?? 0) : position, 1)
    const next = (): string => formatCursor("events", filters, position)
    let seen = 0
    while (true) {
      const { events, isEnd } = yield* walk(position)
      const owners = visible.owner === undefined ? undefined : yield* ownersIn(events)
      for (const event of events) {
        const place = placeOf(event, query, isReversed)
        if (place === "behind") return { items }
        const isSelected = place === "within" && matches(filter, event, owners)
        // One more than fits: there is a next page.
        if (isSelected && items.length === limit) return { items, next: next() }
        position = event.seq
        if (isSelected) items.push(event)
      }
      seen += events.length
      if (isEnd) return { items }
      if (seen >= mostSearched) return { items, next: next() }
    }
  })
}
