import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { Buckets } from "./Buckets.ts"
import { EventLog } from "./EventLog.ts"
import type { Fact } from "./Fact.ts"
import { Facts } from "./Facts.ts"
import { Report } from "./Report.ts"
import { rules } from "./rules.ts"
import { StoredResults } from "./StoredResults.ts"
import type { Limits } from "./VerificationLimits.ts"

/** One verification of a store: what its passes share. */
export interface Run {
  readonly store: Storage["Service"]
  readonly report: Report
  readonly buckets: Buckets
  readonly log: EventLog
  readonly results: StoredResults
  /** Notes what one part of the store shows about a row in another. Run `spill` after each few of them. */
  readonly note: (table: string, id: number | string, fact: Fact) => void
  readonly spill: Effect.Effect<void, StorageError, Scope.Scope>
  /** The first bucket of a table, above this one, that facts are about. */
  readonly nextNoted: (table: string) => (above: number) => number | undefined
  /** Replays the events about a bucket, takes its stored results, and uses all other facts about it. */
  readonly takeFacts: (
    table: string,
    bucket: number,
    use?: (fact: Exclude<Fact, { readonly kind: "creation" | "event" | "folded" | "storedResult" }>) => void
  ) => Effect.Effect<void, StorageError>
}

/** The bucket of a message. Ids of messages are texts, so their buckets are numbered by a hash. */
const bucketOfText = (text: string, buckets: number): number => {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  return (hash >>> 0) % buckets
}

/** Starts a verification. */
export const startRun = (store: Storage["Service"], limits: Limits): Effect.Effect<Run, StorageError> =>
  Effect.map(store.events.latest, (latest) => {
    const [, ...ofRows] = rules
    const report = new Report(ofRows)
    const buckets = new Buckets(limits.ids)
    const results = new StoredResults(report.on("storedResult"))
    const log = new EventLog(report, results)
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
      note: (table, id, fact) => facts.add(table, bucketOf(id), fact),
      spill: facts.spill,
      nextNoted: (table) => (above) => facts.next(table, above),
      takeFacts: (table, bucket, use) =>
        facts.take(table, bucket, (fact) => {
          if (fact.kind === "storedResult") results.add(fact.record, fact.id)
          else if (fact.kind === "folded") log.restore(fact.id, fact.folded)
          else if (fact.kind === "creation") results.created(fact.id, fact.result, fact.at)
          else if (fact.kind === "event") log.replay(fact.event)
          else use?.(fact)
        })
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
