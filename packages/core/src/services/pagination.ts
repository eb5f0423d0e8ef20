import * as Effect from "effect/Effect"
import { InvalidCursor } from "../domain/errors/InputErrors.ts"
import { parseWhole } from "../domain/Id.ts"
import { limits } from "../domain/limits.ts"
import { formatCursor, type Page, parseCursor, type Total } from "../domain/Page.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import { goOn, map } from "../ports/Direct.ts"

interface Listing<Row, Last extends number | string, CountError = never> {
  /** Names the list, so that a cursor of another list is rejected. */
  readonly list: string
  readonly filters?: Readonly<Record<string, unknown>>
  /** Where the first page starts. */
  readonly start: Last
  readonly defaultLimit?: number
  readonly position: (row: Row) => Last
  /** Counts the whole list, up to a limit, if the caller asks for it. */
  readonly count?: ((most: number) => Effect.Effect<number, CountError>) | undefined
}

const lastOf = <Last extends number | string>(start: Last, text: string | undefined): Last | undefined => {
  if (text === undefined) return undefined
  return (typeof start === "number" ? parseWhole(text) : text) as Last | undefined
}

/** One page of a list. Reads one row more than the page has, to know whether there is a next page. */
export const paginate = <Row, Item, Last extends number | string, E, CountError = never>(
  query: PageQuery,
  listing: Listing<Row, Last, CountError>,
  fetch: (after: Last, limit: number) => Effect.Effect<ReadonlyArray<Row>, E>,
  toItem: (row: Row) => Item
): Effect.Effect<Page<Item>, E | CountError | InvalidCursor> => {
  const { filters = {}, list, start } = listing
  const limit = query.limit ?? listing.defaultLimit ?? limits.defaultPage
  const after = query.cursor === undefined ? start : lastOf(start, parseCursor(list, filters, query.cursor))
  if (after === undefined) return Effect.fail(new InvalidCursor({}))
  const page = map(fetch(after, limit + 1), (rows): Page<Item> => {
    const items = rows.slice(0, limit)
    const last = items.at(-1)
    return rows.length > limit && last !== undefined
      ? { items: items.map(toItem), next: formatCursor(list, filters, listing.position(last)) }
      : { items: items.map(toItem) }
  })
  const { count } = listing
  if (count === undefined) return page
  return goOn(page, (found) => map(count(limits.total + 1), (all) => ({ ...found, total: totalOf(all) })))
}

const totalOf = (count: number): Total => ({ count: Math.min(count, limits.total), isExact: count <= limits.total })
