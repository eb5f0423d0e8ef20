import * as Effect from "effect/Effect"
import type { StorageError } from "../../ports/StorageError.ts"

const pageSize = 500

/** Below every id that there is, those that are none included. */
export const beforeAll = Number.NEGATIVE_INFINITY

/** Reads a table behind a position. */
export type Fetch<Row, Position> = (after: Position, limit: number) => Effect.Effect<ReadonlyArray<Row>, StorageError>

/** Uses every page of a table in turn. Others get their turn before each page. */
export const eachPage = Effect.fnUntraced(function* <Row, Position, E, R>(
  fetch: Fetch<Row, Position>,
  start: Position,
  positionOf: (row: Row) => Position,
  use: (rows: ReadonlyArray<Row>) => Effect.Effect<void, E, R>
) {
  let after = start
  for (;;) {
    yield* Effect.yieldNow
    const rows = yield* fetch(after, pageSize)
    const last = rows.at(-1)
    if (last === undefined) return
    yield* use(rows)
    after = positionOf(last)
  }
})

/** Uses the rows of a table in turn, up to the first that is not `within`. */
export const eachRow = Effect.fnUntraced(function* <Row, Position>(
  fetch: Fetch<Row, Position>,
  start: Position,
  positionOf: (row: Row) => Position,
  within: (row: Row) => boolean,
  use: (row: Row) => void
) {
  let after = start
  for (;;) {
    yield* Effect.yieldNow
    const rows = yield* fetch(after, pageSize)
    const end = rows.findIndex((row) => !within(row))
    for (const row of end === -1 ? rows : rows.slice(0, end)) use(row)
    const last = rows.at(-1)
    if (last === undefined || end !== -1) return
    after = positionOf(last)
  }
})
