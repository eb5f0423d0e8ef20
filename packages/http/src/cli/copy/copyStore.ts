import { randomUUID } from "node:crypto"
import { CommitUnknown, StorageBusy } from "@petstore/core/domain"
import type { Restore, RestoreStep, StorageError } from "@petstore/core/ports"
import type { Success } from "effect/Effect"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { SubcommandFailed, UsageError } from "../errors.ts"
import { type Part, partsOf, type WholeStore } from "./Part.ts"

/** Records that are read together, and added in one transaction. */
const pageSize = 1_000

/** How often a page is tried again whose transaction met another one, or had an unknown outcome, a second later each time. */
const retries = 5

/** How many records each table has. */
export type Counts = Success<Restore["counts"]>

/** How many records there are in all. */
export const total = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

interface CopiedPart {
  readonly part: Part
  readonly rows: number
  /** The last record; undefined if it has none. */
  readonly last: unknown
}

/** What was copied: all of one state of the source. */
export interface Copied {
  readonly counts: Counts
  readonly parts: ReadonlyArray<CopiedPart>
}

const takenOver = new SubcommandFailed({ message: "Another process copies into the same database" })

const requireEmpty = ({ restore }: WholeStore) =>
  Effect.gen(function* () {
    const rows = total(yield* restore.counts)
    const isUnfinished = (yield* restore.note) !== undefined
    if (rows === 0 && !isUnfinished) return
    const state = isUnfinished ? "is an unfinished copy. Delete it" : `is not empty: it has ${rows} rows. Use another`
    return yield* new UsageError({
      message: `The target ${state}, or name a new database with --to; nothing was changed`
    })
  })

/** Copies every record of a snapshot of `source` into an empty store. Calls `onRows` with how many records were copied since the last call. */
export const copyStore = Effect.fnUntraced(function* (
  source: WholeStore,
  target: WholeStore,
  onRows: (rows: number) => void
): Effect.fn.Return<Copied, UsageError | SubcommandFailed | StorageError> {
  yield* requireEmpty(target)
  const process = randomUUID()
  let note: string | undefined
  let steps = 0

  /** Adds records exactly once, even if an outcome is unknown: each step has a note of its own. */
  const add = (records: Omit<RestoreStep, "from" | "note">) => {
    const next = `${process} ${++steps}`
    return Effect.suspend(() => target.restore.step({ ...records, from: note, note: next })).pipe(
      Effect.flatMap((last) => (last === note || last === next ? Effect.void : takenOver)),
      Effect.retry({
        while: (error) => error instanceof StorageBusy || error instanceof CommitUnknown,
        schedule: Schedule.spaced("1 second"),
        times: retries
      }),
      Effect.tap(() =>
        Effect.sync(() => {
          note = next
        })
      )
    )
  }

  const copyPart = (part: Part) =>
    Effect.gen(function* () {
      let rows = 0
      let last: unknown
      for (;;) {
        // Signals and the progress bar get their turn.
        yield* Effect.yieldNow
        const records = yield* part.page(source, last, pageSize)
        if (records.length === 0) return { part, rows, last }
        yield* add(part.add(records))
        rows += records.length
        last = records.at(-1)
        onRows(records.length)
      }
    })

  yield* add({})
  const counts = yield* source.restore.counts
  return { counts, parts: yield* Effect.forEach(partsOf(source, target), copyPart) }
})

/** Where a store has another number of records than was copied, in words. */
export const differencesOf = (expected: Counts, target: Counts): ReadonlyArray<string> =>
  Object.entries(expected).flatMap(([table, rows]) => {
    const copied = target[table as keyof Counts]
    return copied === rows ? [] : [`${table}: ${copied} rows instead of ${rows}`]
  })
