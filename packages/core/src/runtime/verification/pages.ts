import * as Effect from "effect/Effect"
import type { Table, Value } from "../../kernel/Table.ts"
import type { Rows } from "../../ports/Rows.ts"
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

/** Uses every page of a table in turn, in the order of its key. Others get their turn before each page. */
export const eachPageOf = <Row, Key extends number | string, E, R>(
  store: Rows,
  table: Table<Row, Key>,
  use: (rows: ReadonlyArray<Row>) => Effect.Effect<void, E, R>
) =>
  eachPage<Row, ReadonlyArray<Value>, E, R>(
    (after, limit) => store.scan(table, after, limit),
    [],
    positionIn(table),
    use
  )

/** Where a row is in the order of its key. */
export const positionIn = <Row, Key extends number | string>({ columns, key }: Table<Row, Key>) => {
  const readers = key.flatMap((name) => columns[name]?.read ?? [])
  return (row: Row): ReadonlyArray<Value> => readers.map((read) => read(row))
}
