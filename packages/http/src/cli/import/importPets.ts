import type { RejectedRow } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { SubcommandFailed } from "../errors.ts"
import type { Reading } from "./ImportSettings.ts"
import { type PetRow, readPetRow } from "./PetRow.ts"
import type { RowSource, SourceRow } from "./SourceRow.ts"

/** The counts of an import. */
export interface Counts {
  readonly imported: number
  readonly rejected: number
  /** Categories that were created. */
  readonly categories: number
  /** The line on which the last imported or rejected row begins; 0 before the first. */
  readonly line: number
}

/** A number of rows with its noun. */
export const rowsOf = (count: number): string => (count === 1 ? "1 row" : `${count} rows`)

/** The counts before the first row. */
export const noCounts: Counts = { imported: 0, rejected: 0, categories: 0, line: 0 }

/** Rows of a file that are done in one transaction. */
export interface Batch {
  readonly pets: ReadonlyArray<PetRow>
  readonly rejections: ReadonlyArray<RejectedRow>
  /** The line on which the last row begins. */
  readonly line: number
}

/** The counts after a batch that created some categories. */
export const countsAfter = (before: Counts, { line, pets, rejections }: Batch, categories: number): Counts => ({
  imported: before.imported + pets.length,
  rejected: before.rejected + rejections.length,
  categories: before.categories + categories,
  line
})

/** Stores the pets of a batch, and returns the counts. Also called for a batch without pets, so that its progress is stored. */
export type StoreBatch<E, R> = (batch: Batch) => Effect.Effect<Counts, E, R>

export interface ImportPlan<E, R> {
  readonly source: RowSource
  readonly reading: Reading
  /** Rows that begin before this line are skipped. */
  readonly fromLine: number
  /** The counts of earlier processes; rows up to their line are skipped. */
  readonly done: Counts
  /** Returns why the row that begins on a line was rejected earlier, if it was. */
  readonly reasonOf: (line: number) => Effect.Effect<string | undefined, E, R>
  readonly store: StoreBatch<E, R>
  /** Called for every row from that line on, whether or not an earlier process did it. */
  readonly onRead: (row: SourceRow) => void
  readonly onRejected: (row: SourceRow, reason: string) => void
  /** Called after every batch. */
  readonly onBatch: (counts: Counts) => void
}

/** Rows of one transaction: many share one sync, but other writers do not wait for long. */
const batchSize = 1_000

const importBatch = <E, R>({ onBatch, onRejected, reading, store }: ImportPlan<E, R>, rows: ReadonlyArray<SourceRow>) =>
  Effect.gen(function* () {
    const read = rows.map((row) => ({ row, pet: readPetRow(row, reading) }))
    const rejected = read.flatMap(({ pet, row }) => (Result.isFailure(pet) ? [{ row, reason: pet.failure }] : []))
    const counts = yield* store({
      pets: read.flatMap(({ pet }) => (Result.isSuccess(pet) ? [pet.success] : [])),
      rejections: rejected.map(({ reason, row }) => ({ line: row.line, reason })),
      line: rows.at(-1)?.line ?? 0
    })
    for (const { reason, row } of rejected) onRejected(row, reason)
    onBatch(counts)
    return counts
  })

/** Reports again the rows that were rejected earlier, and returns the rows that remain. */
const skipDone = <E, R>(plan: ImportPlan<E, R>, rows: ReadonlyArray<SourceRow>) =>
  Effect.gen(function* () {
    const { done, fromLine, onRead, onRejected, reasonOf } = plan
    for (const row of rows) if (row.line >= fromLine) onRead(row)
    const left = rows.filter(({ line }) => line > done.line)
    if (left.length < rows.length) {
      for (const row of rows.slice(0, rows.length - left.length)) {
        const reason = yield* reasonOf(row.line)
        if (reason !== undefined) onRejected(row, reason)
      }
    }
    return left.filter(({ isBlank, line }) => line >= fromLine && isBlank !== true)
  })

const unreadable = (cause: unknown): SubcommandFailed =>
  new SubcommandFailed({ message: `Reading stopped: ${cause instanceof Error ? cause.message : String(cause)}` })

/** Reads, checks and stores rows in batches. An interruption takes effect between two batches. */
export const importPets = <E, R>(plan: ImportPlan<E, R>): Effect.Effect<Counts, E | SubcommandFailed, R> =>
  Stream.fromAsyncIterable(plan.source.rows, unreadable).pipe(
    Stream.mapEffect((rows) => skipDone(plan, rows)),
    Stream.flattenIterable,
    Stream.grouped(batchSize),
    Stream.runFoldEffect(
      () => plan.done,
      (_, rows) => Effect.uninterruptible(importBatch(plan, rows))
    )
  )
