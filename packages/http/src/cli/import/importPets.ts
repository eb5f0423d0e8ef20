import type { ImportedRows } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { SubcommandFailed } from "../errors.ts"
import type { Reading } from "./ImportSettings.ts"
import { type PetRow, readPetRow } from "./PetRow.ts"
import type { RowSource, SourceRow } from "./SourceRow.ts"

export interface Counts extends ImportedRows {
  /** The line on which the last imported or rejected row begins; 0 before the first. */
  readonly line: number
}

export const rowsOf = (count: number): string => (count === 1 ? "1 row" : `${count} rows`)

/** The counts before the first row. */
export const noCounts: Counts = { imported: 0, rejected: 0, categories: 0, line: 0 }

/** Rows of a file that are done in one transaction. */
interface Batch {
  readonly pets: ReadonlyArray<PetRow>
  /** How many rows it has beside them. */
  readonly rejected: number
  /** The line on which its first row begins. */
  readonly first: number
}

/** What a batch counts, and whether it was stored before. */
interface StoredRows extends ImportedRows {
  readonly isKnown: boolean
}

/** Stores the pets of a batch. Also called for a batch without pets. */
export type StoreBatch<E, R> = (batch: Batch) => Effect.Effect<StoredRows, E, R>

export interface ImportPlan<E, R> {
  readonly source: RowSource
  readonly reading: Reading
  /** Rows that begin before this line are skipped. */
  readonly fromLine: number
  readonly store: StoreBatch<E, R>
  /** Called for every row from that line on. */
  readonly onRead: (row: SourceRow) => void
  readonly onRejected: (row: SourceRow, reason: string) => void
  /** Called after every batch. */
  readonly onBatch: (counts: Counts) => void
}

/** Rows of one transaction: many share one sync, but other writers do not wait for long. Another number makes other batches of a file. */
const batchSize = 1_000

const importBatch = <E, R>(
  { onBatch, onRejected, reading, store }: ImportPlan<E, R>,
  before: Counts,
  rows: ReadonlyArray<SourceRow>
) =>
  Effect.gen(function* () {
    const read = rows.map((row) => ({ row, pet: readPetRow(row, reading) }))
    const pets = read.flatMap(({ pet }) => (Result.isSuccess(pet) ? [pet.success] : []))
    const { categories, imported, rejected } = yield* store({
      pets,
      rejected: rows.length - pets.length,
      first: rows[0]?.line ?? 0
    })
    for (const { pet, row } of read) if (Result.isFailure(pet)) onRejected(row, pet.failure)
    const counts = {
      imported: before.imported + imported,
      rejected: before.rejected + rejected,
      categories: before.categories + categories,
      line: rows.at(-1)?.line ?? 0
    }
    onBatch(counts)
    return counts
  })

/** The rows in batches. A failure to read leaves no part of a batch, whose key would then be that of the whole. */
async function* batchesOf({
  fromLine,
  onRead,
  source
}: Pick<ImportPlan<never, never>, "fromLine" | "onRead" | "source">): AsyncGenerator<ReadonlyArray<SourceRow>> {
  let batch: Array<SourceRow> = []
  for await (const rows of source.rows) {
    for (const row of rows) {
      if (row.line < fromLine) continue
      onRead(row)
      if (row.isBlank !== true) batch.push(row)
      if (batch.length === batchSize) {
        yield batch
        batch = []
      }
    }
  }
  if (batch.length > 0) yield batch
}

const unreadable = (cause: unknown): SubcommandFailed =>
  new SubcommandFailed({ message: `Reading stopped: ${cause instanceof Error ? cause.message : String(cause)}` })

/** Reads, checks and stores rows in batches. An interruption takes effect between two batches. */
export const importPets = <E, R>(plan: ImportPlan<E, R>): Effect.Effect<Counts, E | SubcommandFailed, R> =>
  Stream.fromAsyncIterable(batchesOf(plan), unreadable).pipe(
    Stream.runFoldEffect(
      () => noCounts,
      (before, rows) => Effect.uninterruptible(importBatch(plan, before, rows))
    )
  )
