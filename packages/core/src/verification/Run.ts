import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { formatTimestamp, parseTimestamp } from "../domain/Timestamp.ts"
import type { EventRecord } from "../events/eventTable.ts"
import type { VerificationLimits } from "../ports/RowChecks.ts"
import type { Rows } from "../ports/Rows.ts"
import type { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { Buckets } from "./Buckets.ts"
import { rowOf } from "./checkpoint/foldEvents.ts"
import { EventLog } from "./EventLog.ts"
import { isReplayable } from "./eventRules.ts"
import type { EventReference, Fact } from "./Fact.ts"
import { Facts } from "./Facts.ts"
import { Report } from "./Report.ts"
import { rules } from "./rules.ts"
import { StoredResults } from "./StoredResults.ts"

/** What of a store is verified. */
export type VerifiedStore = Rows & Pick<Storage["Service"], "temporaryLists">

/** One verification of a store: what its passes share. */
export interface Run {
  readonly store: VerifiedStore
  readonly report: Report
  readonly buckets: Buckets
  readonly log: EventLog
  readonly results: StoredResults
  /** Checks an event by itself. Events that {@link takeFacts} replays are checked there. */
  readonly checkEvent: (event: EventRecord) => void
  /** Notes what one part of the store shows about a row in another. Run `spill` after each few of them. */
  readonly note: (table: string, id: number | string, fact: Fact) => void
  readonly spill: Effect.Effect<void, StorageError, Scope.Scope>
  /** The first bucket of a table, above this one, that facts are about. */
  readonly nextNoted: (table: string) => (above: number) => number | undefined
  /** Checks and replays the events about a bucket, takes its stored results, and uses all other facts about it. */
  readonly takeFacts: (
    table: string,
    bucket: number,
    use?: (fact: Exclude<Fact, number | readonly ["creation" | "folded" | "storedResult", ...Array<unknown>]>) => void
  ) => Effect.Effect<void, StorageError>
}

/** The bucket of a message. Ids of messages are texts, so their buckets are numbered by a hash. */
const bucketOfText = (text: string, buckets: number): number => {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  return (hash >>> 0) % buckets
}

const isReference = (fact: Fact): fact is EventReference => typeof fact === "number"

/** Events by their numbers. */
export const bySeq = (found: ReadonlyArray<EventRecord>) => {
  const events = new Map<number, Array<EventRecord>>()
  for (const event of found) {
    const same = events.get(event.seq)
    if (same === undefined) events.set(event.seq, [event])
    else same.push(event)
  }
  return events
}

/** The events of references: call it for each of these in turn. */
const findEvents = (store: VerifiedStore, seqs: ReadonlyArray<EventReference>) =>
  Effect.map(seqs.length === 0 ? Effect.succeed([]) : store.events.find(seqs), (found) => {
    let next = 0
    if (found.length === seqs.length && found.every(({ seq }, index) => seq === seqs[index])) {
      return () => found.slice(next, ++next)
    }
    // A damaged log may have several events of one number.
    const events = bySeq(found)
    return (seq: EventReference) => {
      const same = events.get(seq) ?? []
      events.delete(seq)
      return same
    }
  })

/** Milliseconds by which the clocks of two machines may differ. */
const clockTolerance = 86_400_000

/** The number of the last event, and the time now: by this clock, or by that of the last event if it was ahead. */
const endOf = Effect.fnUntraced(function* ({ events }: VerifiedStore) {
  const latest = yield* events.latest
  const [last] = yield* events.scan(Math.max(0, latest - 1), 1)
  const now = yield* Clock.currentTimeMillis
  return [latest, Math.max(now, parseTimestamp(last?.timestamp ?? "") ?? 0)] as const
})

/** Starts a verification. */
export const startRun = (store: VerifiedStore, limits: VerificationLimits): Effect.Effect<Run, StorageError> =>
  Effect.map(endOf(store), ([latest, now]) => {
    const [, , ...ofRows] = rules
    const report = new Report(ofRows, formatTimestamp(now + clockTolerance))
    const buckets = new Buckets(limits.ids)
    const results = new StoredResults(report.on("storedResult"))
    const log = new EventLog(report, results)
    const [checkWhole, checkTimes] = [report.on("event"), report.on("times")]
    const checkEvent = (event: EventRecord): void => {
      checkTimes({ row: { seq: event.seq }, times: { timestamp: event.timestamp } })
      checkWhole(event)
    }
    const facts = new Facts<Fact>(store.temporaryLists, limits.facts)
    const messageBuckets = 1 + Math.floor(latest / limits.ids)
    const bucketOf = (id: number | string) =>
      typeof id === "string" ? bucketOfText(id, messageBuckets) : buckets.of(id)
    return {
      store,
      report,
      buckets,
      log,
      results,
      checkEvent,
      note: (table, id, fact) => facts.add(table, bucketOf(id), fact),
      spill: facts.spill,
      nextNoted: (table) => (above) => facts.next(table, above),
      takeFacts: (table, bucket, use) => {
        // A damaged log may have several events of one number.
        const isOfBucket = (event: EventRecord) => {
          if (!isReplayable(event)) return false
          const row = rowOf(event)
          return row.table === table && bucketOf(row.id) === bucket
        }
        return facts.take(
          table,
          bucket,
          Effect.fnUntraced(function* (some) {
            const eventsOf = yield* findEvents(store, some.filter(isReference))
            for (const fact of some) {
              if (isReference(fact)) {
                for (const event of eventsOf(fact)) {
                  if (!isOfBucket(event)) continue
                  checkEvent(event)
                  log.replay(event)
                }
              } else if (fact[0] === "storedResult") results.add(fact[1], fact[2])
              else if (fact[0] === "folded") log.restore(fact[1], fact[2])
              else if (fact[0] === "creation") results.created(fact[1], () => fact[3], fact[2])
              else use?.(fact)
            }
          })
        )
      }
    }
  })

/** Checks the ids of a table, which is read in ascending id. */
export const checkIds = (report: Report, table: string): ((id: number | string) => void) => {
  const check = report.on("row")
  let before: number | string | undefined
  return (id) => {
    check({ table, id, before })
    before = id
  }
}
