import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Retention } from "../../domain/retention/Retention.ts"
import { formatTimestamp } from "../../domain/Timestamp.ts"
import { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { Commands } from "../../programs/Commands.ts"
import { resultsKeptMillis } from "../../programs/idempotency/once.ts"
import { storeMillis } from "../../programs/time.ts"
import { type CheckpointRecord, checkpoints, logSubject } from "../../tables/checkpointTable.ts"
import { endings } from "../../tables/endingTable.ts"
import type { EventRecord } from "../../tables/eventTable.ts"
import { idempotencyKeys } from "../../tables/idempotencyTable.ts"
import { elapsedMillis } from "../background/sleep.ts"
import { creationSubjects, parseCheckpoint, subjectOfCreation } from "../verification/checkpoint/CheckpointState.ts"
import { loadChecks } from "../verification/Verification.ts"
import { type ConsumerPosition, consumerHolder, type WebhookPosition, webhookHolder } from "./holders.ts"

/**
 * How many events a transaction removes: few, because writers of a database in the process wait for it, but several times
 * as many as a shared commit of orders adds. Fewer on a slow machine, so that the event loop is not blocked for long.
 */
const largestBatch = 500
const smallestBatch = 100

/** Milliseconds that the events of a batch may take to be folded, which is about a third of its work. */
const longestFoldMillis = 4

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

/** How long this petstore keeps what it needs no longer; for ever by default. */
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
      const commands = yield* Commands
      const retention = yield* RetentionPolicy
      const { count, for: keptFor } = retention.events ?? {}
      const state = storage.snapshot(stateOf(storage))
      if (keptFor === undefined && count === undefined) return { trim: Effect.succeed(none), state }
      const services: TrimmingServices = { storage, commands, checks: yield* loadChecks, size: new BatchSize() }
      const trim = Effect.gen(function* (): Effect.fn.Return<Batch, StorageError> {
        const log = yield* storage.find(checkpoints, logSubject)
        const after = log?.seq ?? 0
        const now = yield* storeMillis(storage)
        const upTo = count === undefined ? 0 : (yield* storage.events.latest) - count
        const before = timeBefore(now, keptFor)
        const isExpired = ({ seq, timestamp }: EventRecord) => seq <= upTo || timestamp < before
        const { events, isLast } = yield* nextExpired(storage, after, services.size.now, isExpired)
        if (events.length === 0) return none
        const holders = yield* holdersOf(storage, after, now)
        const { free, holder } = unheld(events, holders, timeBefore(now, retention.undelivered?.for))
        const held = holder === undefined ? {} : { holder }
        if (free.length === 0) return { ...none, ...held }
        const folding = yield* fold(services, log, free, now)
        if ("problem" in folding) {
          return (yield* isCurrent(storage, log)) ? { ...none, problem: folding.problem } : { ...none, isLast: false }
        }
        const isRemoved = yield* remove(services, log, folding, free)
        return { removed: isRemoved ? free.length : 0, isLast: holder !== undefined || isLast, ...held }
      })
      return { trim, state }
    })
  )
}

/** How many events a batch takes. */
class BatchSize {
  now = largestBatch

  /** Fits the next batch to how many milliseconds the events of one took. */
  adapt(events: number, took: number): void {
    const fitting = took === 0 ? largestBatch : Math.round((events * longestFoldMillis) / took)
    // At most doubled, because a short batch says little.
    this.now = Math.min(largestBatch, Math.max(smallestBatch, Math.min(fitting, 2 * this.now)))
  }
}

interface TrimmingServices {
  readonly storage: Storage["Service"]
  readonly commands: Commands["Service"]
  readonly checks: Effect.Success<typeof loadChecks>
  readonly size: BatchSize
}

/** The consumer and the webhook that need the oldest of the events after a position. */
const holdersOf = (storage: Storage["Service"], after: number, now: number) =>
  Effect.all({
    consumer: consumerHolder(storage),
    webhook: webhookHolder(storage, after, largestBatch, formatTimestamp(now))
  })

type Holders = Effect.Success<ReturnType<typeof holdersOf>>

/** The next events that have expired, and whether others behind them may have. The last event of the log always stays, to show its end. */
const nextExpired = Effect.fnUntraced(function* (
  { events }: Storage["Service"],
  after: number,
  size: number,
  isExpired: (event: EventRecord) => boolean
) {
  // Usually nothing has expired: to find that out must be cheap.
  const [first, second] = yield* events.scan(after, 2)
  if (first === undefined || second === undefined || !isExpired(first)) return { events: [], isLast: true }
  const page = yield* events.scan(after, size + 1)
  const candidates = page.slice(0, -1)
  const end = candidates.findIndex((event) => !isExpired(event))
  if (end === -1) return { events: candidates, isLast: page.length <= size }
  return { events: candidates.slice(0, end), isLast: true }
})

/** The first of some events, up to one that is still needed. */
const unheld = (events: ReadonlyArray<EventRecord>, { consumer, webhook }: Holders, undeliveredBefore: string) => {
  const holderOf = ({ seq, timestamp }: EventRecord): EventHolder | undefined => {
    if (consumer !== undefined && seq > consumer.position) return consumer
    return webhook !== undefined && seq > webhook.position && timestamp >= undeliveredBefore ? webhook : undefined
  }
  const firstHeld = events.findIndex((event) => holderOf(event) !== undefined)
  const held = events[firstHeld]
  return held === undefined
    ? { free: events, holder: undefined }
    : { free: events.slice(0, firstHeld), holder: holderOf(held) }
}

/** What verification needs of events that are removed, together with what it has kept of those before. */
const fold = Effect.fnUntraced(function* (
  { checks, size, storage }: TrimmingServices,
  log: CheckpointRecord | undefined,
  events: ReadonlyArray<EventRecord>,
  now: number
) {
  const resultsFrom = laterOf(formatTimestamp(Math.max(now - resultsKeptMillis, 0)), log)
  const rows = yield* storage.findAll(checkpoints, checks.subjectsOf(events))
  // The record of a creation with a key was written in the transaction of its event.
  const keepsResults = (yield* storage.scan(idempotencyKeys, [], 1)).length > 0
  const creations = yield* storage.scan(checkpoints, [creationSubjects.start], 2 * size.now)
  const begin = yield* elapsedMillis
  const folded = checks.foldEvents({
    events,
    rows: [...rows.filter(({ subject }) => subject !== logSubject), ...(log === undefined ? [] : [log])],
    expired: creations.filter(({ subject }) => subject < subjectOfCreation(resultsFrom)),
    keepsResults,
    resultsFrom,
    at: formatTimestamp(now)
  })
  size.adapt(events.length, (yield* elapsedMillis) - begin)
  return "problem" in folded ? folded : { ...folded, known: new Map(rows.map((row) => [row.subject, row])) }
})

type Folded = Exclude<Effect.Success<ReturnType<typeof fold>>, { readonly problem: string }>

const isSame = (a: CheckpointRecord | undefined, b: CheckpointRecord | undefined): boolean =>
  a?.seq === b?.seq && a?.state === b?.state

/** Whether no other process has removed events since the log was read, so that what was read afterwards belongs to it. */
const isCurrent = (storage: Storage["Service"], log: CheckpointRecord | undefined) =>
  Effect.map(storage.find(checkpoints, logSubject), (current) => isSame(current, log))

/** Removes events, unless another process was first: what was read before may then have changed. */
const remove = (
  { commands }: TrimmingServices,
  log: CheckpointRecord | undefined,
  { known, removed, saved }: Folded,
  events: ReadonlyArray<EventRecord>
) =>
  commands.run("events.trim", function* ({ tx }) {
    if (!isSame(yield* tx.lock(checkpoints, logSubject), log)) return false
    for (const row of saved) tx.save(checkpoints, row)
    for (const subject of removed) tx.remove(checkpoints, known.get(subject) ?? { subject, seq: 0, state: "" })
    for (const ending of (yield* tx.lockAll(endings, endedIn(events))).values()) tx.remove(endings, ending)
    tx.trim(events.at(-1)?.seq ?? 0)
    return true
  })

/** The orders whose end some events are about. */
const endedIn = (events: ReadonlyArray<EventRecord>): ReadonlyArray<number> =>
  events.flatMap((event) => (event.type === "order.cancelled" || event.type === "order.expired" ? event.data.id : []))

/** Which events are kept, and what keeps the oldest of them. */
const stateOf = (storage: Storage["Service"]) =>
  Effect.gen(function* () {
    const latest = yield* storage.events.latest
    const [first] = yield* storage.events.scan(0, 1)
    const log = yield* storage.find(checkpoints, logSubject)
    const row = log && parseCheckpoint(log)
    const { consumer, webhook } = yield* holdersOf(storage, (first?.seq ?? 1) - 1, yield* storeMillis(storage))
    const isWebhook = webhook !== undefined && (consumer === undefined || webhook.position < consumer.position)
    const heldBy = isWebhook ? webhook : consumer
    return {
      earliest: first?.seq ?? latest + 1,
      latest,
      ...(log === undefined || row?.kind !== "log" ? {} : { trimmed: { seq: log.seq, at: row.state.at } }),
      ...(heldBy === undefined ? {} : { heldBy })
    }
  })

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
