import {
  CategoryNameTaken,
  IdempotencyInProgress,
  nameKey,
  type PetstoreError,
  StorageBusy,
  UnknownCategory
} from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/effect"
import { type Command, fail } from "@petstore/core/kernel"
import {
  type Call,
  Commands,
  createCategory,
  createPets,
  ImportedFile,
  ImportedRows,
  setStocks,
  storedKeyOf
} from "@petstore/core/runtime"
import { categoriesByName, type IdempotencyRecord, idempotencyKeys } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { SubcommandFailed, UsageError } from "../errors.ts"
import { flagsOf, type ImportSettings } from "./ImportSettings.ts"
import { rowsOf, type StoreBatch } from "./importPets.ts"
import type { PetRow } from "./PetRow.ts"

/** Stores pets with their quantities, and the categories that do not exist yet. Returns how many categories it created. */
function* storePets(call: Call, rows: ReadonlyArray<PetRow>): Command<number, PetstoreError> {
  const ids = new Map<string, number>()
  let created = 0
  for (const { category: name } of rows) {
    if (ids.has(name)) continue
    const existing = yield* call.tx.first(categoriesByName, nameKey(name))
    if (existing === undefined) created++
    ids.set(name, existing?.category.id ?? (yield* createCategory(call, { name })).id)
  }
  if (rows.length === 0) return created
  const pets = yield* createPets(
    call,
    rows.map(({ category, name, status }) => {
      const pet = { name, categoryId: ids.get(category) ?? 0 }
      return status === undefined ? pet : { ...pet, status }
    })
  )
  const counts = rows.flatMap(({ quantity }, index) => {
    const petId = pets[index]?.id
    return quantity === undefined || petId === undefined ? [] : [{ petId, quantity }]
  })
  if (counts.length > 0) yield* setStocks(call, counts)
  return created
}

/** The file of an import, and how it is read. */
interface SettledFile {
  /** SHA-256 of its content. */
  readonly digest: string
  readonly settings: ImportSettings
}

/**
 * An import of a file. The result of each batch is kept under a key of its own, as of a call with an idempotency key: a batch is stored once,
 * however often and by however many processes the file is read.
 */
export interface ImportRun {
  /** Stores a batch, or returns what it counted when it was stored. */
  readonly store: StoreBatch<PetstoreError, never>
  /** Records that every row is done, so that the file is not imported again. */
  readonly finish: (rows: ImportedRows) => Effect.Effect<void, StorageError | IdempotencyInProgress>
}

/** Milliseconds. Less than results are kept for, so that all batches of a run are known while it can be resumed. */
const resumableForMillis = 6 * 24 * 60 * 60 * 1000

const readFile = Schema.decodeSync(Schema.fromJsonString(ImportedFile))
const readRows = Schema.decodeSync(Schema.fromJsonString(ImportedRows))

/** The result that is kept under a key, and when it was. The key stays locked. */
function* kept({ principal: { accountId }, tx }: Call, key: string) {
  return yield* tx.lock(idempotencyKeys, storedKeyOf({ accountId, key }))
}

const keep = (call: Call, operation: "imports.begin" | "imports.store", key: string, value: object): void => {
  const { accountId } = call.principal
  const fingerprint = call.shared.hasher.sha256(key)
  const result = JSON.stringify(value)
  call.tx.save(idempotencyKeys, { accountId, key, operation, fingerprint, result, createdAt: call.now() })
}

/** Why a file whose import began before is not imported; undefined if that import is resumed. */
const refusal = (
  { createdAt }: IdempotencyRecord,
  { finished, settings, startedAt }: typeof ImportedFile.Type,
  asked: string,
  now: string
): SubcommandFailed | UsageError | undefined => {
  const again = "add --again to import every row again"
  if (finished !== undefined) {
    const { imported, rejected } = finished
    return new SubcommandFailed({
      message: `This file was imported on ${createdAt}: ${rowsOf(imported)} imported, ${rejected} rejected. To import every row again, add --again`
    })
  }
  if (Date.parse(now) - Date.parse(startedAt) > resumableForMillis) {
    return new SubcommandFailed({
      message: `An import of this file began on ${startedAt}, too long ago to be resumed. Import the rows that are missing with --again --from-line LINE, or ${again}`
    })
  }
  if (settings === asked) return undefined
  return new UsageError({
    message: `An import of this file with ${flagsOf(JSON.parse(settings))} is not finished. Use the same flags to resume it, or ${again}`
  })
}

/** Whether another transaction got in the way of a batch, so that it may succeed when it runs again. */
const isConflict = (error: unknown): boolean =>
  error instanceof StorageBusy ||
  error instanceof IdempotencyInProgress ||
  error instanceof CategoryNameTaken ||
  error instanceof UnknownCategory

const retry = { while: isConflict, schedule: Schedule.exponential("20 millis"), times: 8 }

/** Starts or resumes the import of a file. Rejects a file that was imported before, unless `again` is true: then a new run starts. */
export const startRun = Effect.fnUntraced(function* (
  { digest, settings }: SettledFile,
  again: boolean
): Effect.fn.Return<ImportRun, SubcommandFailed | UsageError | StorageError | IdempotencyInProgress, Commands> {
  const commands = yield* Commands
  const key = `import:${digest}`
  const asked = JSON.stringify(settings)

  const { run, startedAt } = yield* commands
    .run("imports.begin", function* (call) {
      const earlier = yield* kept(call, key)
      const before = earlier === undefined ? undefined : readFile(earlier.result)
      const now = call.now()
      if (earlier !== undefined && before !== undefined && !again) {
        const refused = refusal(earlier, before, asked, now)
        return refused === undefined ? before : yield* fail(refused)
      }
      const begun = { run: 1 + (before?.run ?? 0), startedAt: now, settings: asked }
      keep(call, "imports.begin", key, begun)
      return begun
    })
    .pipe(Effect.retry(retry))

  return {
    store: (batch) =>
      commands
        .run("imports.store", function* (call) {
          const batchKey = `${key}:${startedAt}:${run}:${batch.first}`
          const earlier = yield* kept(call, batchKey)
          if (earlier !== undefined) return { ...readRows(earlier.result), isKnown: true }
          const categories = yield* storePets(call, batch.pets)
          const rows = { imported: batch.pets.length, rejected: batch.rejected, categories }
          keep(call, "imports.store", batchKey, rows)
          return { ...rows, isKnown: false }
        })
        .pipe(Effect.retry(retry)),
    finish: (finished) =>
      commands
        .run("imports.finish", function* (call) {
          const current = yield* kept(call, key)
          // Another process may have begun to import every row again.
          if (current === undefined || readFile(current.result).run !== run) return
          keep(call, "imports.begin", key, { run, startedAt, settings: asked, finished })
        })
        .pipe(Effect.retry(retry))
  }
})
