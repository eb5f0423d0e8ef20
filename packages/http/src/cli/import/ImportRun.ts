import { formatTimestamp } from "@petstore/core/domain"
import { Storage, type StorageError } from "@petstore/core/effect"
import type { Write } from "@petstore/core/engine"
import { batchesOf, type ImportBatch, imports, type RejectedRow } from "@petstore/core/tables"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SubcommandFailed, UsageError } from "../errors.ts"
import { flagsOf, type ImportSettings } from "./ImportSettings.ts"
import { type BatchOutcome, type Counts, noCounts, rowsOf, type StoreBatch } from "./importPets.ts"
import type { StorePets } from "./storePets.ts"

/** The file of an import, and how it is read. */
interface ImportedFile {
  /** SHA-256 of its content. */
  readonly digest: string
  readonly settings: ImportSettings
}

/** An import of a file whose progress is kept in the store. */
export interface ImportRun {
  /** The counts of earlier processes. */
  readonly done: Counts
  /** Stores each batch and the progress in one transaction. */
  readonly storing: (storePets: StorePets) => StoreBatch<SubcommandFailed | StorageError, never>
  /** Returns why an earlier process rejected the row that begins on a line. Must be called with ascending lines. */
  readonly reasonOf: (line: number) => Effect.Effect<string | undefined, StorageError>
  /** Records that every row is done. */
  readonly finish: Effect.Effect<void, SubcommandFailed | StorageError>
}

/** How many batches are read at a time. */
const pageSize = 10

const alreadyDone = ({ createdAt, imported, rejected }: ImportBatch): SubcommandFailed =>
  new SubcommandFailed({
    message: `This file was imported on ${createdAt}: ${rowsOf(imported)} imported, ${rejected} rejected. To import every row again, add --again`
  })

const otherSettings = ({ line, settings }: ImportBatch): UsageError =>
  new UsageError({
    message: `An import of this file with ${flagsOf(JSON.parse(settings))} stopped at line ${line}. Use the same flags to resume it, or add --again to import every row again`
  })

/** Another process has taken over the import of this file. */
export const takenOver = new SubcommandFailed({
  message: "Another process has started to import the same file and continues from here."
})

const added = (batch: ImportBatch): Write => ({ log: imports.name, rows: [batch] })

/** Returns a function that finds rejected rows of a run by ascending lines. It reads a few batches at a time. */
const makeReasons = ({ file, run }: Pick<ImportBatch, "file" | "run">) =>
  Effect.map(Storage, (storage) => {
    let rows: ReadonlyArray<RejectedRow> = []
    let next = 0
    let seq = 0
    let ended = false
    return (line: number) =>
      Effect.gen(function* () {
        while (true) {
          for (let row = rows[next]; row !== undefined && row.line <= line; row = rows[++next]) {
            if (row.line === line) return row.reason
          }
          if (next < rows.length || ended) return undefined
          const page = yield* storage.scan(imports, [file, seq], pageSize)
          const own = page.filter((batch) => batch.file === file)
          rows = own.filter((batch) => batch.run === run).flatMap(({ rejections }) => rejections)
          next = 0
          seq = own.at(-1)?.seq ?? seq
          ended = own.length < pageSize
        }
      })
  })

/** Starts or resumes the import of a file. Rejects a file that was imported before, unless `again` is true: then a new run starts. */
export const startRun = Effect.fnUntraced(function* (
  { digest: file, settings }: ImportedFile,
  again: boolean
): Effect.fn.Return<ImportRun, SubcommandFailed | UsageError | StorageError, Storage> {
  const { select, transact, write } = yield* Storage
  const now = Effect.map(Clock.currentTimeMillis, formatTimestamp)
  const asked = JSON.stringify(settings)

  const firstBatch = (
    found: ImportBatch | undefined,
    createdAt: string
  ): Effect.Effect<ImportBatch, SubcommandFailed | UsageError> => {
    const seq = (found?.seq ?? 0) + 1
    const empty = { rejections: [], finished: false, createdAt }
    if (found === undefined || again) {
      return Effect.succeed({ file, seq, run: (found?.run ?? 0) + 1, settings: asked, ...noCounts, ...empty })
    }
    if (found.finished) return Effect.fail(alreadyDone(found))
    return found.settings === asked ? Effect.succeed({ ...found, seq, ...empty }) : Effect.fail(otherSettings(found))
  }

  // A batch without rows: the process that appends it owns the run, and a former owner stops at its next batch.
  const startedAt = yield* now
  const first = yield* transact(
    Effect.gen(function* () {
      const [found] = yield* select(batchesOf, file, 1)
      const batch = yield* firstBatch(found, startedAt)
      yield* write([added(batch)])
      return batch
    })
  )

  let last = first
  const append = (next: Partial<ImportBatch>) =>
    Effect.gen(function* () {
      const [found] = yield* select(batchesOf, file, 1)
      if (found?.seq !== last.seq) return yield* takenOver
      const batch: ImportBatch = { ...last, rejections: [], ...next, seq: last.seq + 1 }
      yield* write([added(batch)])
      return batch
    })
  const committed = (batch: ImportBatch): void => {
    last = batch
  }

  const { categories, imported, line, rejected } = first
  return {
    done: { categories, imported, line, rejected },
    reasonOf: yield* makeReasons(first),
    storing: (storePets) => (rows, outcomeOf) =>
      Effect.gen(function* () {
        const createdAt = yield* now
        const { batch, outcome } = yield* storePets(rows, (stored) => {
          const outcome: BatchOutcome = outcomeOf(stored)
          const { counts, rejections } = outcome
          return Effect.map(append({ ...counts, rejections, createdAt }), (batch) => ({ batch, outcome }))
        })
        committed(batch)
        return outcome
      }),
    finish: Effect.flatMap(now, (createdAt) => Effect.map(transact(append({ finished: true, createdAt })), committed))
  }
})
