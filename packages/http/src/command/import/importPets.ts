import { Effect, Result, Stream } from "effect"
import { CommandFailed } from "../CommandError.ts"
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

export interface ImportPlan<E, R> {
  readonly source: RowSource
  readonly columns: Columns
  /** Rows that begin before this line are passed over. */
  readonly fromLine: number
  readonly store: (rows: ReadonlyArray<PetRow>) => Effect.Effect<Stored, E, R>
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
    const stored = pets.length === 0 ? { refusals: [], categories: 0 } : yield* plan.store(pets)
    const refusals = stored.refusals.values()
    let rejected = 0
    for (const [index, row] of rows.entries()) {
      const pet = read[index]
      const reason = pet !== undefined && Result.isFailure(pet) ? pet.failure : refusals.next().value
      if (reason === undefined) continue
      plan.onRejected(row, reason)
      rejected++
    }
    const counts: Counts = {
      imported: before.imported + rows.length - rejected,
      rejected: before.rejected + rejected,
      categories: before.categories + stored.categories,
      line: rows.at(-1)?.line ?? before.line
    }
    plan.onBatch(counts)
    return counts
  })

const unreadable = (cause: unknown): CommandFailed =>
  new CommandFailed({ message: `Reading stopped: ${cause instanceof Error ? cause.message : String(cause)}` })

/** Reads, checks and stores rows batch by batch. An interruption takes effect between two batches. */
export const importPets = <E, R>(plan: ImportPlan<E, R>): Effect.Effect<Counts, E | CommandFailed, R> =>
  Stream.fromAsyncIterable(plan.source.rows, unreadable).pipe(
    Stream.flattenIterable,
    Stream.filter((row) => row.line >= plan.fromLine),
    Stream.grouped(batchSize),
    Stream.runFoldEffect(
      () => noCounts,
      (counts, rows) => Effect.uninterruptible(importBatch(plan, counts, rows))
    )
  )
