import * as Effect from "effect/Effect"
import type { Table } from "../../kernel/Table.ts"
import type { Rows } from "../../ports/Rows.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { beforeAll, eachRow, type Fetch } from "./pages.ts"

/** The ids of a bucket. */
export interface Range {
  readonly bucket: number
  /** The last id of the bucket before it. */
  readonly after: number
  readonly last: number
}

/** A table in ascending id. */
export interface Source<Row> {
  readonly fetch: Fetch<Row, number>
  readonly idOf: (row: Row) => number
}

export const sourceOf = <Row>(store: Rows, table: Table<Row>): Source<Row> => ({
  fetch: (after, limit) => store.scan(table, [after], limit),
  idOf: table.keyOf
})

/** Rows in ranges of ids, so that those of one range fit in memory. */
export class Buckets {
  private readonly size: number

  constructor(size: number) {
    this.size = size
  }

  /** The bucket of an id; a value that is not a number is in the first. */
  of(id: unknown): number {
    return typeof id === "number" && Number.isFinite(id) ? Math.floor(id / this.size) : 0
  }

  /**
   * Uses each bucket that has a row or something else, in ascending order. `nextRows` return the first id above one;
   * `nextOther` returns the first bucket above one that has something else.
   */
  each<E, R>(
    nextRows: ReadonlyArray<(after: number) => Effect.Effect<number | undefined, StorageError>>,
    nextOther: (above: number) => number | undefined,
    use: (range: Range) => Effect.Effect<void, E, R>
  ): Effect.Effect<void, E | StorageError, R> {
    const bucketOf = (id: number | undefined) => (id === undefined ? undefined : this.of(id))
    const { size } = this
    return Effect.gen(function* () {
      let [above, after] = [beforeAll, beforeAll]
      for (;;) {
        const candidates = [nextOther(above)]
        for (const nextRow of nextRows) candidates.push(bucketOf(yield* nextRow(after)))
        const bucket = Math.min(...candidates.filter((one) => one !== undefined))
        if (bucket === Number.POSITIVE_INFINITY) return
        const last = bucket * size + size - 1
        yield* use({ bucket, after, last })
        above = bucket
        after = last
      }
    })
  }
}

/** The first id of a table above one. */
export const nextOf =
  <Row>({ fetch, idOf }: Source<Row>) =>
  (after: number): Effect.Effect<number | undefined, StorageError> =>
    Effect.map(fetch(after, 1), ([row]) => (row === undefined ? undefined : idOf(row)))

/** Uses the rows of a range in turn. */
export const eachIn = <Row>(
  { fetch, idOf }: Source<Row>,
  { after, last }: Range,
  use: (row: Row) => void
): Effect.Effect<void, StorageError> => eachRow(fetch, after, idOf, (row) => idOf(row) <= last, use)
