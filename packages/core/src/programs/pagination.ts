import { InvalidCursor } from "../domain/errors/InputErrors.ts"
import { parseWhole } from "../domain/Id.ts"
import { limits } from "../domain/limits.ts"
import { formatCursor, type Page, parseCursor, type Total } from "../domain/Page.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import { type Command, type Failed, fail, type Waiting } from "../kernel/Command.ts"

/** Rows that a program asks for, or fails. */
export interface Found<A, E = never> {
  [Symbol.iterator](): Iterator<Failed<E> | Waiting<unknown>, A, unknown>
}

/** A literal is a position of its type. */
type Position<Last> = Last extends number ? number : string

interface List<Row, Item, Last extends number | string, E> {
  /** Names the list, so that a cursor of another list is rejected. */
  readonly list: string
  readonly filters?: Readonly<Record<string, unknown>>
  /** Where the first page starts. */
  readonly start: Last
  readonly defaultLimit?: number | undefined
  /** The rows behind a position. */
  readonly rows: (after: Position<Last>, limit: number) => Found<ReadonlyArray<Row>, E>
  readonly position: (row: Row) => Position<Last>
  readonly item: (row: Row) => Item
  /** Which rows the page has. It searches {@link searchedRows}, and may then have fewer than its limit although there are more. */
  readonly selects?: ((row: Row) => boolean) | undefined
  /** Counts the whole list, up to a limit, if the caller asks for it. */
  readonly count?: ((most: number) => Found<number, never>) | undefined
}

/** Where a page starts; undefined for a cursor of another list. */
const startOf = <Row, Item, Last extends number | string, E>(
  { cursor }: PageQuery,
  { filters = {}, list, start }: List<Row, Item, Last, E>
): Position<Last> | undefined => {
  const text = cursor === undefined ? undefined : parseCursor(list, filters, cursor)
  const last = typeof start === "number" && text !== undefined ? parseWhole(text) : text
  return (cursor === undefined ? start : last) as Position<Last> | undefined
}

/** How many rows one page is searched in, at most. */
const searchedRows = 1_000

const pageIn = <Row, Item, Last extends number | string, E>(
  rows: ReadonlyArray<Row>,
  limit: number,
  { filters = {}, item, list, position, selects }: List<Row, Item, Last, E>
): Page<Item> => {
  const selected = selects === undefined ? rows : rows.filter(selects)
  const shown = selected.slice(0, limit)
  const isCut = selected.length <= limit && selects !== undefined && rows.length === searchedRows
  const last = (isCut ? rows : shown).at(-1)
  return (isCut || selected.length > limit) && last !== undefined
    ? { items: shown.map(item), next: formatCursor(list, filters, position(last)) }
    : { items: shown.map(item) }
}

/** How a list of ids is read in a direction. Its cursors do not name the default one. */
export const directionOf = <Q>(sort: string | undefined, forwards: Q, backwards: Q) =>
  sort?.startsWith("-") === true
    ? { by: backwards, start: Number.POSITIVE_INFINITY, sort }
    : { by: forwards, start: 0, sort: undefined }

/** One page of a list. Reads one row more than the page has, to know whether there is a next page, unless it is searched. */
export function* pageOf<Row, Item, Last extends number | string, E = never>(
  query: PageQuery,
  of: List<Row, Item, Last, E>
): Command<Page<Item>, E | InvalidCursor> {
  const limit = query.limit ?? of.defaultLimit ?? limits.defaultPage
  const after = startOf(query, of)
  if (after === undefined) return yield* fail(new InvalidCursor({}))
  const page = pageIn(yield* of.rows(after, of.selects === undefined ? limit + 1 : searchedRows), limit, of)
  return of.count === undefined ? page : { ...page, total: totalOf(yield* of.count(limits.total + 1)) }
}

const totalOf = (count: number): Total => ({ count: Math.min(count, limits.total), isExact: count <= limits.total })
