import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { formatTimestamp } from "../domain/Timestamp.ts"
import type { EventRecord } from "../events/eventTable.ts"
import { idempotencyKeys } from "../idempotency/idempotencyTable.ts"
import { resultsKeptFor } from "../idempotency/once.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { elapsedMillis } from "../services/background/sleep.ts"
import { Commands } from "../services/Commands.ts"
import { storeMillis } from "../services/storeTime.ts"
import { creationSubjects, parseCheckpoint, subjectOfCreation } from "../verification/checkpoint/CheckpointState.ts"
import { loadChecks } from "../verification/Verification.ts"
import { type CheckpointRecord, checkpoints, logSubject } from "./checkpointTable.ts"
import { type ConsumerPosition, consumerHolder, type WebhookPosition, webhookHolder } from "./holders.ts"
import type { Retention } from "./Retention.ts"

/**
 * How many events a transaction removes: few, because writers of a database in the process wait for it, but several times
 * as many as a shared commit of orders adds. Fewer on a slow machine, so that the event loop is not blocked for long.
 */
const largestBatch = 500
const smallestBatch = 100

/** Milliseconds that the events of a batch may take to be folded, which is about a third of its work. */
const longestFold = 4

/** What needs the oldest event: a consumer by its name, or a webhook by its id; and the position before that event. */
export type EventHolder = ConsumerPosition | WebhookPosition

/** Which events of the log there are. */
export interface EventRetention {
  /** The `seq` of the first event that is kept; 1 more than {@link latest} if there is none. */
  readonly earliest: number
  /** The `seq` of the last event; 0 if there is none. */
  readonly latest: number
  /** The last event that was removed, and when; absent if none was. */
  readonly trimmed?: { readonly seq: number; readonly at: string }
  /** The consumer or the webhook that is the furthest behind, if there is one: the events behind its position are kept. */
  readonly heldBy?: EventHolder
}

/** How a batch ended: how many events it removed, and whether there may be more. */
export interface Batch {
  readonly removed: number
  readonly isLast: boolean
  /** What keeps events that have expired. */
  readonly holder?: EventHolder
  /** Why the events cannot be removed. */
  readonly problem?: string
}

/** How long this engine keeps what it needs no longer; for ever by default. */
export const RetentionPolicy: Context.Reference<Retention> = Context.Reference<Retention>(
  "@petstore/core/retention/RetentionPolicy",
  { defaultValue: () => ({}) }
)

const none: Batch = { removed: 0, isLast: true }

/** Removes events that have expired from the log, and keeps what verification needs of them. */
export class Trimming extends Context.Service<
  Trimming,
  {
    /** Removes the next events that have expired, at most 500, in one short transaction. */
    readonly trim: Effect.Effect<Batch, StorageError>
    readonly state: Effect.Effect<EventRetention, StorageError>
  }
>()("@petstore/core/retention/Trimming") {
  static readonly layer = Layer.effect(
    Trimming,
    Effect.gen(function* () {
      const storage = yield* Storage
      const { run } = yield* Commands
      const { events, snapshot } = storage
      const retention = yield* RetentionPolicy
      const { count, for: keptFor } = retention.events ?? {}
      const undeliveredFor = retention.undelivered?.for
      const checks = keptFor === undefined && count === undefined ? undefined : yield* loadChecks

      /** The consumer and the webhook that need the oldest of the events after a position. */
      const holdersOf = (after: number, now: number) =>
        Effect.all({
          consumer: consumerHolder(storage),
          webhook: webhookHolder(storage, after, largestBatch, formatTimestamp(now))
        })

      let batchSize = largestBatch

      const findLog = storage.find(checkpoints, logSubject)

      /** Whether an event has expired; `latest` is the last of the log. */
      const expiry = (now: number, latest: number) => {
        const before = timeBefore(now, keptFor)
        const upTo = count === undefined ? 0 : latest - count
        return ({ seq, timestamp }: EventRecord) => seq <= upTo || timestamp < before
      }

      const isEnough = (page: ReadonlyArray<EventRecord>, isExpired: (event: EventRecord) => boolean): boolean =>
        page.length > 1 && page[0] !== undefined && isExpired(page[0])

      const trim = Effect.gen(function* (): Effect.fn.Return<Batch, StorageError> {
        if (checks === undefined) return none
        const log = yield* findLog
        const last = log?.seq ?? 0
        const now = yield* storeMillis(storage)
        const isExpired = expiry(now, count === undefined ? 0 : yield* events.latest)
        const size = batchSize
        // Usually nothing has expired: to find that out must be cheap.
        if (!isEnough(yield* events.scan(last, 2), isExpired)) return none
        const page = yield* events.scan(last, size + 1)
        // The last event always stays, so that the log shows its end.
        const found = page.slice(0, -1)
        const end = found.findIndex((event) => !isExpired(event))
        const expired = end === -1 ? found : found.slice(0, end)
        const { consumer, webhook } = yield* holdersOf(last, now)
        const undeliveredBefore = timeBefore(now, undeliveredFor)
        const holderOf = ({ seq, timestamp }: EventRecord): EventHolder | undefined => {
          if (consumer !== undefined && seq > consumer.position) return consumer
          return webhook !== undefined && seq > webhook.position && timestamp >= undeliveredBefore ? webhook : undefined
        }
        const firstHeld = expired.find((event) => holderOf(event) !== undefined)
        const holder = firstHeld && holderOf(firstHeld)
        const free = firstHeld === undefined ? expired : expired.slice(0, expired.indexOf(firstHeld))
        if (free.length === 0) return holder === undefined ? none : { ...none, holder }

        const at = formatTimestamp(now)
        const resultsFrom = laterOf(formatTimestamp(Math.max(now - resultsKeptFor, 0)), log)
        const rows = yield* storage.findAll(checkpoints, checks.subjectsOf(free))
        // The record of a creation with a key was written in the transaction of its event.
        const hasKeys = (yield* storage.scan(idempotencyKeys, [], 1)).length > 0
        const creations = yield* storage.scan(checkpoints, [creationSubjects.start], 2 * size)
        const begin = yield* elapsedMillis
        const folded = checks.foldEvents({
          events: free,
          rows: [...rows.filter(({ subject }) => subject !== logSubject), ...(log === undefined ? [] : [log])],
          expired: creations.filter(({ subject }) => subject < subjectOfCreation(resultsFrom)),
          keepsResults: hasKeys,
          resultsFrom,
          at
        })
        const took = (yield* elapsedMillis) - begin
        const fitting = took === 0 ? largestBatch : Math.round((free.length * longestFold) / took)
        // At most doubled, because a short batch says little.
        batchSize = Math.min(largestBatch, Math.max(smallestBatch, Math.min(fitting, 2 * size)))
        if ("problem" in folded) {
          const current = yield* findLog
          // Another process removed events between these reads, so they do not belong together.
          const isStale = current?.seq !== log?.seq || current?.state !== log?.state
          return isStale ? { ...none, isLast: false } : { ...none, problem: folded.problem }
        }
        const known = new Map(rows.map((row) => [row.subject, row]))
        const isRemoved = yield* run("events.trim", function* ({ tx }) {
          const locked = yield* tx.lock(checkpoints, logSubject)
          // Another process was first: what was read above may have changed.
          if (locked?.seq !== log?.seq || locked?.state !== log?.state) return false
          for (const row of folded.saved) tx.save(checkpoints, row)
          for (const subject of folded.removed)
            tx.remove(checkpoints, known.get(subject) ?? { subject, seq: 0, state: "" })
          tx.trim(free.at(-1)?.seq ?? 0)
          return true
        })
        return {
          removed: isRemoved ? free.length : 0,
          isLast: holder !== undefined || page.length <= size || expired.length < found.length,
          ...(holder === undefined ? {} : { holder })
        }
      })

      const state = snapshot(
        Effect.gen(function* () {
          const latest = yield* events.latest
          const [first] = yield* events.scan(0, 1)
          const log = yield* findLog
          const row = log && parseCheckpoint(log)
          const { consumer, webhook } = yield* holdersOf((first?.seq ?? 1) - 1, yield* storeMillis(storage))
          const isWebhook = webhook !== undefined && (consumer === undefined || webhook.position < consumer.position)
          const heldBy = isWebhook ? webhook : consumer
          return {
            earliest: first?.seq ?? latest + 1,
            latest,
            ...(log === undefined || row?.kind !== "log" ? {} : { trimmed: { seq: log.seq, at: row.state.at } }),
            ...(heldBy === undefined ? {} : { heldBy })
          }
        })
      )
      return { trim, state }
    })
  )
}

/** The time so long before another one; the empty text, which is before every time, without a duration. */
const timeBefore = (now: number, duration: Duration.Input | undefined): string => {
  const millis = duration === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(duration)
  return millis > now ? "" : formatTimestamp(now - millis)
}

/** The time from which on results are known never goes back, even if a clock does. */
const laterOf = (time: string, log: CheckpointRecord | undefined): string => {
  const row = log && parseCheckpoint(log)
  return row?.kind === "log" && row.state.resultsFrom > time ? row.state.resultsFrom : time
}
