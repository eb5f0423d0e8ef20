import { InvalidCursor, type ValidationFailed } from "../../domain/errors/InputErrors.ts"
import { limits } from "../../domain/limits.ts"
import type { Page } from "../../domain/Page.ts"
import type { PageQuery } from "../../domain/PageQuery.ts"
import type { MetadataFilter } from "../../domain/records/ListFilter.ts"
import type { ListIndex } from "../../domain/records/ListIndex.ts"
import { NotIndexed } from "../../domain/records/RecordErrors.ts"
import type { RecordKind } from "../../domain/records/ResourceRecord.ts"
import { type Command, fail } from "../../kernel/Command.ts"
import type { Table } from "../../kernel/Table.ts"
import { recordsByKey } from "../../tables/listIndexes.ts"
import { placeInTime, positionInTime, refused, type TimeOrder, type TimePlace } from "../../tables/TimeOrder.ts"
import type { Reading } from "../Call.ts"
import { directionOf, type Found, pageOf } from "../pagination.ts"
import type { RecordedRow } from "./recordCommands.ts"

/** Fails unless the shop has switched on an index. */
export function* requireIndex({ shared }: Reading, index: ListIndex): Command<void, NotIndexed> {
  if (!shared.indexes.has(index)) yield* fail(new NotIndexed({ name: index }))
}

const besideMetadata = new Set(["sort", "limit", "cursor", "count"])

/** Fails for what the index of a key of metadata does not have. */
function* requireAlone(others: object): Command<void, ValidationFailed> {
  // In one order, whoever calls.
  for (const [name, value] of Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === undefined) continue
    if (name === "sort" && value !== "id" && value !== "-id")
      return yield* refused(name, "Expected id or -id with the filter metadata")
    if (!besideMetadata.has(name)) return yield* refused(name, `Expected no ${name} with the filter metadata`)
  }
}

interface MetadataListFilter extends PageQuery {
  readonly sort?: string
  readonly count?: boolean
}

/** A page of the rows whose records have a value of a key, in the order of their ids: one more keyed read for a page. */
export function* pageByMetadata<Row>(
  reading: Reading,
  kind: RecordKind,
  of: Table<Row>,
  { key, value }: MetadataFilter,
  filter: MetadataListFilter,
  owner?: string
): Command<Page<Row>, InvalidCursor | NotIndexed | ValidationFailed> {
  yield* requireAlone(filter)
  yield* requireIndex(reading, `${kind}.metadata.${key}`)
  if (Array.from(value).length > limits.metadataText)
    return yield* refused("metadata", `Expected a value of at most ${limits.metadataText} characters, composed (NFC)`)
  const { rows } = reading
  yield* rows.together()
  const records = recordsByKey(kind, key)
  const { by, sort, start } = directionOf(filter.sort, records.by, records.reversedBy)
  const page = yield* pageOf(filter, {
    list: kind,
    filters: { metadata: `${key}=${value}`, sort },
    start,
    rows: (after, limit) => rows.all(by, { value, owner, after }, limit),
    position: ({ id }) => id,
    item: ({ id }) => id,
    count: filter.count === true ? (most) => rows.count(records.by, { value, owner, after: 0 }, most) : undefined
  })
  const rowsOfPage = page.items.length === 0 ? [] : yield* rows.findAll(of, page.items)
  const byId = new Map(rowsOfPage.map((row) => [of.keyOf(row), row]))
  return { ...page, items: page.items.flatMap((id) => byId.get(id) ?? []) }
}

/** How a list by time reads. */
interface TimeList<Row> {
  readonly order: TimeOrder
  /** The sort that the caller named. */
  readonly sort: string | undefined
  readonly filters: Readonly<Record<string, unknown>>
  readonly rows: (
    place: { readonly after: number; readonly time: TimePlace },
    limit: number
  ) => Found<ReadonlyArray<Row>>
  readonly count?: ((time: TimePlace, most: number) => Found<number>) | undefined
  readonly defaultLimit?: number | undefined
}

/** A page of rows in the order of a time, and of ids where times are equal. */
export function* pageByTime<Row extends RecordedRow>(
  reading: Reading,
  kind: RecordKind,
  query: PageQuery,
  { count, defaultLimit, filters, order, rows, sort }: TimeList<Row>,
  keyOf: (row: Row) => number
): Command<Page<Row>, InvalidCursor | NotIndexed> {
  const { before, by, from } = order
  yield* requireIndex(reading, `${kind}.${by}`)
  return yield* pageOf(query, {
    list: kind,
    filters: { ...filters, [by]: [from, before], sort: sort === by ? undefined : sort },
    start: "",
    defaultLimit,
    rows: (last, limit) => {
      const place = placeInTime(order, last)
      return place === undefined ? fail(new InvalidCursor({})) : rows(place, limit)
    },
    position: (row) => positionInTime(keyOf(row), row[by]),
    item: (row) => row,
    count: count === undefined ? undefined : (most) => count({ by, from, before }, most)
  })
}
