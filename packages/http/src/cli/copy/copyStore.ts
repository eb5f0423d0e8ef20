import { createHash, randomUUID } from "node:crypto"
import { CommitUnknown, StorageBusy } from "@petstore/core/domain"
import type { RestoreStep, StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { SubcommandFailed, UsageError } from "../errors.ts"
import { type CopyNote, formatNote, parseNote } from "./CopyNote.ts"
import { type Part, partsOf, type Records, type WholeStore } from "./Part.ts"

const textOf = (value: unknown): string => {
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString("hex")}"`
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const fields: Record<string, unknown> = { ...value }
  return `{${Object.keys(fields)
    .filter((name) => fields[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${textOf(fields[name])}`)
    .join(",")}}`
}

/** The SHA-256 of records. Equal records have equal digests, whatever the order of their fields. */
const digestOf = (records: ReadonlyArray<unknown>): string => {
  const hash = createHash("sha256")
  for (const record of records) hash.update(textOf(record)).update("\n")
  return hash.digest("base64")
}

/** Records that are read, added in one transaction, and compared together. */
const pageSize = 1_000

/** How often a page is tried again whose transaction met another one, or had an unknown outcome, a second later each time. */
const retries = 5

/** The digests of the pages of a part. */
export interface PartDigest {
  readonly part: Part
  readonly rows: number
  readonly pages: ReadonlyArray<string>
}

/** Called with how many records were copied or compared since the last call. */
type OnRows = (rows: number) => void

/** Uses every page of a part, and returns its digests. */
const eachPage = Effect.fnUntraced(function* <E, R>(
  store: WholeStore,
  part: Part,
  use: (records: Records, before: number) => Effect.Effect<void, E, R>
): Effect.fn.Return<PartDigest, E | StorageError, R> {
  const pages: Array<string> = []
  let rows = 0
  let after: unknown
  for (;;) {
    // Signals and the progress bar get their turn.
    yield* Effect.yieldNow
    const records = yield* part.page(store, after, pageSize)
    if (records.length === 0) return { part, rows, pages }
    yield* use(records, rows)
    pages.push(digestOf(records.map(part.compared)))
    rows += records.length
    after = records.at(-1)
  }
})

/** How many records there are in all. */
export const total = (counts: CopyNote["source"]): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

const sameCounts = (a: CopyNote["source"], b: CopyNote["source"]): boolean => digestOf([a]) === digestOf([b])

/** Another process has taken over the copy. */
const takenOver = new SubcommandFailed({
  message: "Another process copies into the same database, and continues from here"
})

/** Checks that a target is empty, or has an unfinished copy of this source. Returns the note of that copy. */
const checkTarget = (target: WholeStore, source: CopyNote["source"]) =>
  Effect.gen(function* () {
    const text = yield* target.restore.note
    const rows = total(yield* target.restore.counts)
    if (text === undefined) {
      if (rows === 0) return undefined
      return yield* new UsageError({
        message: `The target is not empty: it has ${rows} rows. Name a new database with --to; nothing was changed`
      })
    }
    const note = parseNote(text)
    if (note !== undefined && sameCounts(note.source, source)) return { text, note }
    return yield* new UsageError({
      message:
        "The target has an unfinished copy of another database, or the source has changed since that copy began. Delete the target, or name a new one with --to; nothing was changed"
    })
  })

/** Copies every record of a snapshot of `source` that `target` does not have yet. Returns the digests of the source. */
export const copyStore = Effect.fnUntraced(function* (
  source: WholeStore,
  target: WholeStore,
  onRows: OnRows
): Effect.fn.Return<ReadonlyArray<PartDigest>, UsageError | SubcommandFailed | StorageError> {
  const counts = yield* source.restore.counts
  const parts = partsOf(source, target)
  const found = yield* checkTarget(target, counts)
  const own = { source: counts, process: randomUUID() }
  let note = found?.text

  /** Takes a step that sets the note, exactly once even if an outcome is unknown. */
  const step = (next: string, records: Omit<RestoreStep, "from" | "note">) =>
    Effect.suspend(() => target.restore.step({ ...records, from: note, note: next })).pipe(
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
      ),
      // An interruption takes effect between two pages.
      Effect.uninterruptible
    )

  const first = found?.note ?? { part: parts[0]?.name ?? "", rows: 0 }
  yield* step(formatNote({ ...own, part: first.part, rows: first.rows }), {})

  const begun = Math.max(
    0,
    parts.findIndex(({ name }) => name === first.part)
  )
  return yield* Effect.forEach(parts, (part, index) => {
    const done = index < begun ? Number.POSITIVE_INFINITY : index === begun ? first.rows : 0
    return eachPage(source, part, (records, before) => {
      const missing = records.slice(Math.max(0, done - before))
      const rows = before + records.length
      const added =
        missing.length === 0 ? Effect.void : step(formatNote({ ...own, part: part.name, rows }), part.add(missing))
      return Effect.tap(added, () => Effect.sync(() => onRows(records.length)))
    })
  })
})

const rangeOf = (page: number, rows: number): string =>
  `rows ${page * pageSize + 1} to ${Math.min((page + 1) * pageSize, rows)}`

/** Where a part of a store differs from these digests of another one, in words; undefined if it is the same. */
const differenceOf = (expected: PartDigest, found: PartDigest): string | undefined => {
  const { name } = expected.part
  const page = expected.pages.findIndex((digest, index) => digest !== found.pages[index])
  if (page !== -1) return `${name}: ${rangeOf(page, expected.rows)} differ`
  return found.rows === expected.rows ? undefined : `${name}: ${found.rows} rows instead of ${expected.rows}`
}

/** Reads all of a store, and returns where it differs from these digests of another one. */
export const compareStore = (
  store: WholeStore,
  digests: ReadonlyArray<PartDigest>,
  onRows: OnRows
): Effect.Effect<ReadonlyArray<string>, StorageError> =>
  Effect.map(
    Effect.forEach(digests, (expected) =>
      Effect.map(
        eachPage(store, expected.part, (records) => Effect.sync(() => onRows(records.length))),
        (found) => differenceOf(expected, found)
      )
    ),
    (differences) => differences.filter((difference) => difference !== undefined)
  )
