import { Effect } from "effect"
import type { StorageError } from "../../ports/StorageError.ts"

const pageSize = 500

/** Reads a table behind a position. */
export type Fetch<Row, Position> = (after: Position, limit: number) => Effect.Effect<ReadonlyArray<Row>, StorageError>

/** Answers the next page each time it runs, an empty one behind the last. Others get their turn before each page. */
export const pager = <Row, Position>(
  fetch: Fetch<Row, Position>,
  start: Position,
  positionOf: (row: Row) => Position
): Effect.Effect<ReadonlyArray<Row>, StorageError> => {
  let after = start
  return Effect.flatMap(Effect.yieldNow, () =>
    Effect.map(fetch(after, pageSize), (rows) => {
      const last = rows.at(-1)
      if (last !== undefined) after = positionOf(last)
      return rows
    })
  )
}

/** Uses every page of a table in turn. */
export const eachPage = Effect.fnUntraced(function* <Row, Position>(
  fetch: Fetch<Row, Position>,
  start: Position,
  positionOf: (row: Row) => Position,
  use: (rows: ReadonlyArray<Row>) => Effect.Effect<void, StorageError>
) {
  const next = pager(fetch, start, positionOf)
  for (let rows = yield* next; rows.length > 0; rows = yield* next) yield* use(rows)
})

/** Uses every row that was read before in turn. */
export const eachKept = Effect.fnUntraced(function* <Row>(rows: Iterable<Row>, use: (row: Row) => void) {
  let used = 0
  for (const row of rows) {
    use(row)
    if (++used % pageSize === 0) yield* Effect.yieldNow
  }
})

/** Uses every row of a table in turn. */
export const eachRow = <Row, Position>(
  fetch: Fetch<Row, Position>,
  start: Position,
  positionOf: (row: Row) => Position,
  use: (row: Row) => void
): Effect.Effect<void, StorageError> =>
  eachPage(fetch, start, positionOf, (rows) => Effect.sync(() => rows.forEach(use)))
