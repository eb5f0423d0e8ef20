import * as Effect from "effect/Effect"
import { InvalidCursor } from "../../domain/errors/InputErrors.ts"
import type { Event, EventListQuery } from "../../domain/events/Event.ts"
import { type EventFilter, keyOf, matches } from "../../domain/events/EventFilter.ts"
import { parseWhole } from "../../domain/Id.ts"
import { limits } from "../../domain/limits.ts"
import { formatCursor, type Page, parseCursor } from "../../domain/Page.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { placeOf, positionSince } from "./eventTimes.ts"
import { type OwnedEvents, type OwnedPart, ownerAlone } from "./OwnedEvents.ts"
import type { FindOwners } from "./orderOwners.ts"

/** How many events one call looks at, at most, for those that are selected: indexes by type and subject would make each commit write two more rows. */
const searched = 1_000

type Scan<E> = (after: number, limit: number) => Effect.Effect<ReadonlyArray<Event>, E>

const positionOf = (list: string, filters: Readonly<Record<string, unknown>>, query: EventListQuery) => {
  if (query.cursor === undefined) return query.after ?? 0
  return parseWhole(parseCursor(list, filters, query.cursor) ?? "")
}

const filtersOf = ({ after, since, subject, types, until }: EventListQuery) => ({
  after,
  since,
  until,
  subject,
  types: types === undefined ? undefined : [...new Set(types)].sort().join()
})

/** The same for a caller who sees nothing but events of their own orders: it reads only these where the log is indexed. */
const listOwned = <E>(
  query: EventListQuery,
  start: number,
  scan: Scan<E>,
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
      if (seen >= searched) return { items, next: next() }
    }
  })

/** How a list reads the log. */
interface EventReads<E> {
  readonly latest: Effect.Effect<number, StorageError>
  /** Fails for a position whose events are no longer kept, if the caller gave one. */
  readonly scan: Scan<E>
  /** Reads any part of the log. */
  readonly search: Scan<StorageError>
}

/**
 * Lists one page of events. Its cost is bounded however long the log is, so a page has fewer events than its limit if the part
 * of the log that was read has no more that are selected.
 */
export const listEvents = <E>(
  query: EventListQuery,
  { latest, scan, search }: EventReads<E>,
  visible: Pick<EventFilter, "owner" | "shownTypes">,
  ownersIn: FindOwners,
  owned: OwnedEvents
): Effect.Effect<Page<Event>, E | InvalidCursor | StorageError> => {
  const { limit = limits.defaultPage, since, subject, types, until } = query
  const filter: EventFilter = { subject, types: types === undefined ? undefined : new Set(types), ...visible }
  const filters = filtersOf(query)
  const after = positionOf("events", filters, query)
  if (after === undefined) return Effect.fail(new InvalidCursor({}))
  const isFiltered = keyOf(filter) !== undefined || since !== undefined || until !== undefined
  const found =
    since === undefined || query.cursor !== undefined
      ? Effect.succeed(0)
      : Effect.flatMap(latest, (last) => positionSince(search, last, since))
  const starting = Effect.map(found, (position) => Math.max(after, position))
  const pageSize = isFiltered ? limits.page : limit + 1

  const owner = ownerAlone(filter)
  if (owner !== undefined) {
    return Effect.flatMap(starting, (start) =>
      listOwned(query, start, scan, filter, (position) => owned.after(owner, position))
    )
  }

  return Effect.gen(function* () {
    const items: Array<Event> = []
    let position = yield* starting
    let seen = 0
    while (true) {
      const part = yield* scan(position, pageSize)
      const owners = visible.owner === undefined ? undefined : yield* ownersIn(part)
      for (const event of part) {
        const place = placeOf(event, query)
        if (place === "behind") return { items }
        const isSelected = place === "within" && matches(filter, event, owners)
        // One more than fits: there is a next page.
        if (isSelected && items.length === limit) return { items, next: formatCursor("events", filters, position) }
        position = event.seq
        if (isSelected) items.push(event)
      }
      seen += part.length
      if (part.length < pageSize) return { items }
      if (seen >= searched) return { items, next: formatCursor("events", filters, position) }
    }
  })
}
