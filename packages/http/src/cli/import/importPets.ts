import type { RejectedRow } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { SubcommandFailed } from "../errors.ts"
import type { Columns } from "./columns.ts"
import { type PetRow, readPetRow } from "./PetRow.ts"
import type { RowSource, SourceRow } from "./SourceRow.ts"
import type { Stored } from "./storePets.ts"

/** What an import came to. */
export interface Counts {
  readonly imported: number
  readonly rejected: number
  /** Categories that were made. */
  readonly categories: number
  /** Where the last row begins that was imported or rejected; 0 before the first. */
  readonly line: number
}

export const noCounts: Counts = { imported: 0, rejected: 0, categories: 0, line: 0 }

/** What became of the rows of a batch, and of all before it. */
export interface BatchOutcome {
  readonly counts: Counts
  readonly rejections: ReadonlyArray<RejectedRow>
}

/** Stores the pets of a batch. Called for a batch without any, too, so that its progress is kept. */
export type StoreBatch<E, R> = (
  rows: ReadonlyArray<PetRow>,
  outcomeOf: (stored: Stored) => BatchOutcome
) => Effect.Effect<BatchOutcome, E, R>

export interface ImportPlan<E, R> {
  readonly source: RowSource
  readonly columns: Columns
  /** Rows that begin before this line are passed over. */
  readonly fromLine: number
  /** Rows up to the line of these were imported or rejected earlier. */
  readonly done: Counts
  /** Why the row that begins here was rejected earlier, if it was. */
  readonly reasonOf: (line: number) => Effect.Effect<string | undefined, E, R>
  readonly store: StoreBatch<E, R>
  readonly onRejected: (row: SourceRow, reason: string) => void
  /** Called after every batch. */
  readonly onBatch: (counts: Counts) => void
}

/** Rows of one transaction: enough to share a sync, few enough not to hold up other writers. */
const batchSize = 1_000

const importBatch = <E, R>(plan: ImportPlan<E, R>, before: Counts, rows: ReadonlyArray<SourceRow>) =>
  Effect.gen(function* () {
    const read = rows.map((row) => readPetRow(row, plan.columns))
    const pets = read.flatMap((pet) => (Result.isSuccess(pet) ? [pet.success] : []))
    const { counts, rejections } = yield* plan.store(pets, (stored) => {
      const refusals = stored.refusals.values()
      const rejections = rows.flatMap(({ line }, index) => {
        const pet = read[index]
        const reason = pet !== undefined && Result.isFailure(pet) ? pet.failure : refusals.next().value
        return reason === undefined ? [] : [{ line, reason }]
      })
      const counts: Counts = {
        imported: before.imported + rows.length - rejections.length,
        rejected: before.rejected + rejections.length,
        categories: before.categories + stored.categories,
        line: rows.at(-1)?.line ?? before.line
      }
      return { counts, rejections }
    })
    const rowAt = new Map(rows.map((row) => [row.line, row]))
    for (const { line, reason } of rejections) {
      const row = rowAt.get(line)
      if (row !== undefined) plan.onRejected(row, reason)
    }
    plan.onBatch(counts)
    return counts
  })

/** Lists again which rows were rejected earlier, and returns those that are still to be done. */
const passOver = <E, R>({ done, fromLine, onRejected, reasonOf }: ImportPlan<E, R>, rows: ReadonlyArray<SourceRow>) =>
  Effect.gen(function* () {
    const left = rows.filter(({ line }) => line > done.line)
    if (left.length < rows.length) {
      for (const row of rows.slice(0, rows.length - left.length)) {
        const reason = yield* reasonOf(row.line)
        if (reason !== undefined) onRejected(row, reason)
      }
    }
    return left.filter(({ line }) => line >= fromLine)
  })

const unreadable = (cause: unknown): SubcommandFailed =>
  new SubcommandFailed({ message: `Reading stopped: ${cause instanceof Error ? cause.message : String(cause)}` })

/** Reads, checks and stores rows batch by batch. An interruption takes effect between two batches. */
export const importPets = <E, R>(plan: ImportPlan<E, R>): Effect.Effect<Counts, E | SubcommandFailed, R> =>
  Stream.fromAsyncIterable(plan.source.rows, unreadable).pipe(
    Stream.mapEffect((rows) => passOver(plan, rows)),
    Stream.flattenIterable,
    Stream.grouped(batchSize),
    Stream.runFoldEffect(
      () => plan.done,
      (counts, rows) => Effect.uninterruptible(importBatch(plan, counts, rows))
    )
  )
