import { CategoryNameTaken, type PetstoreError, StorageBusy, UnknownCategory } from "@petstore/core/domain"
import { Storage, type StorageError } from "@petstore/core/effect"
import { fail } from "@petstore/core/engine"
import { type Call, Commands } from "@petstore/core/services"
import { batchesOf, type ImportBatch, imports, type RejectedRow } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { SubcommandFailed, UsageError } from "../errors.ts"
import { flagsOf, type ImportSettings } from "./ImportSettings.ts"
import { type Counts, countsAfter, noCounts, rowsOf, type StoreBatch } from "./importPets.ts"
import { storePets } from "./storePets.ts"

/** The file of an import, and how it is read. */
interface ImportedFile {
  /** SHA-256 of its content. */
  readonly digest: string
  readonly settings: ImportSettings
}

/** An import of a file whose progress is kept in the store: a file beside it cannot change in the same transaction, and idempotency records go after 7 days. */
export interface ImportRun {
  /** The counts of earlier processes. */
  readonly done: Counts
  /** Stores each batch and the progress in one transaction. */
  readonly store: StoreBatch<SubcommandFailed | PetstoreError, never>
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

const otherSettings = ({ line, settings: text }: ImportBatch): UsageError => {
  const settings: ImportSettings = JSON.parse(text)
  const unit = settings.format === "json" ? "row" : "line"
  return new UsageError({
    message: `An import of this file with ${flagsOf(settings)} stopped at ${unit} ${line}. Use the same flags to resume it, or add --again to import every row again`
  })
}

/** Another process has taken over the import of this file. */
export const takenOver = new SubcommandFailed({
  message: "Another process has started to import the same file and continues from here."
})

/** Whether another transaction got in the way of a batch, so that it may succeed when it runs again. */
const isConflict = (error: unknown): boolean =>
  error instanceof StorageBusy || error instanceof CategoryNameTaken || error instanceof UnknownCategory

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
): Effect.fn.Return<ImportRun, SubcommandFailed | UsageError | StorageError, Storage | Commands> {
  const { run } = yield* Commands
  const asked = JSON.stringify(settings)

  // A batch without rows: the process that appends it owns the run, and a former owner stops at its next batch.
  const first = yield* run("imports.begin", function* (call) {
    const found = yield* call.tx.first(batchesOf, file)
    const seq = (found?.seq ?? 0) + 1
    const empty = { rejections: [], finished: false, createdAt: call.now() }
    const isNew = found === undefined || again
    if (!isNew && found.finished) return yield* fail(alreadyDone(found))
    if (!isNew && found.settings !== asked) return yield* fail(otherSettings(found))
    const batch: ImportBatch = isNew
      ? { file, seq, run: (found?.run ?? 0) + 1, settings: asked, ...noCounts, ...empty }
      : { ...found, seq, ...empty }
    call.tx.add(imports, batch)
    return batch
  })

  let last = first
  /** The batch that follows the last one, unless another process has added one. */
  function* nextBatch(call: Call) {
    const found = yield* call.tx.first(batchesOf, file)
    if (found?.seq !== last.seq) return yield* fail(takenOver)
    return { ...last, seq: last.seq + 1, rejections: [], createdAt: call.now() }
  }
  const added = (call: Call, batch: ImportBatch): ImportBatch => {
    call.tx.add(imports, batch)
    return batch
  }
  const committed = (batch: ImportBatch): Counts => {
    last = batch
    const { categories, imported, line, rejected } = batch
    return { categories, imported, line, rejected }
  }

  return {
    done: committed(first),
    reasonOf: yield* makeReasons(first),
    store: (batch) =>
      run("imports.store", function* (call) {
        const next = yield* nextBatch(call)
        const counts = countsAfter(last, batch, yield* storePets(call, batch.pets))
        return added(call, { ...next, ...counts, rejections: batch.rejections })
      }).pipe(Effect.retry({ while: isConflict, times: 3 }), Effect.map(committed)),
    finish: Effect.asVoid(
      Effect.map(
        run("imports.finish", function* (call) {
          return added(call, { ...(yield* nextBatch(call)), finished: true })
        }),
        committed
      )
    )
  }
})
