/** The checks of all rules. `loadChecks` loads this module only for a petstore that is verified, or that removes events. */

import * as Effect from "effect/Effect"
import { formatTimestamp } from "../../domain/Timestamp.ts"
import { VerificationProgress } from "../../ports/progress.ts"
import type { CheckResult, VerificationLimits } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { storeMillis } from "../../programs/time.ts"
import type { EventRecord } from "../../tables/eventTable.ts"
import { noteStoredResults, verifyAccounts, verifyApiKeys } from "./access.ts"
import { Buckets } from "./Buckets.ts"
import { noteCheckpoints } from "./checkpoint/noteCheckpoints.ts"
import { verifyConsumers, verifyParkedEvents } from "./consumers.ts"
import { EventLog } from "./EventLog.ts"
import { isReplayable, rowOf } from "./eventRules.ts"
import { type EventReference, type Fact, Facts } from "./Facts.ts"
import { bySeq, noteEvents } from "./log.ts"
import { noteMessages, verifyMessages } from "./messages.ts"
import { noteOrders, verifyOrders } from "./orders.ts"
import type { Pass, VerifiedStore } from "./Pass.ts"
import { verifyCategories, verifyPets } from "./pets.ts"
import { clockToleranceMillis, Report } from "./Report.ts"
import { rules, rulesApart } from "./rules.ts"
import { StoredResults } from "./StoredResults.ts"
import type { Subjects } from "./Subjects.ts"
import { verifyDeliveries, verifyDeliveryRows, verifyWebhooks } from "./webhooks.ts"

export { foldEvents, subjectsOf } from "./checkpoint/foldEvents.ts"

/** The results of the rules that are checked apart from the rows: by the store itself, and with the keys of the petstore. */
export const apart = (
  damage: ReadonlyArray<string>,
  decrypted: ReadonlyArray<Subjects["decrypted"]>
): ReadonlyArray<CheckResult> => {
  const report = new Report(rulesApart)
  const check = report.on("damage")
  if (damage.length === 0) check(undefined)
  for (const problem of damage) check(problem)
  decrypted.forEach(report.on("decrypted"))
  return report.results
}

/** The bucket of a message. Ids of messages are texts, so their buckets are numbered by a hash. */
const bucketOfText = (text: string, buckets: number): number => {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  return (hash >>> 0) % buckets
}

const isReference = (fact: Fact): fact is EventReference => typeof fact === "number"

/** The events of references: call it for each of these in turn. */
const findEvents = (store: VerifiedStore, seqs: ReadonlyArray<EventReference>) =>
  Effect.map(seqs.length === 0 ? Effect.succeed([]) : store.events.find(seqs), (stored) => {
    let next = 0
    if (stored.length === seqs.length && stored.every(({ seq }, index) => seq === seqs[index])) {
      return () => stored.slice(next, ++next)
    }
    // A damaged log may have several events of one number.
    const events = bySeq(stored)
    return (seq: EventReference) => {
      const same = events.get(seq) ?? []
      events.delete(seq)
      return same
    }
  })

const startPass = (store: VerifiedStore, limits: VerificationLimits): Effect.Effect<Pass, StorageError> =>
  Effect.map(Effect.all([store.events.latest, storeMillis(store), VerificationProgress]), ([latest, now, onShare]) => {
    const report = new Report(rules, formatTimestamp(now + clockToleranceMillis))
    const buckets = new Buckets(limits.ids)
    const results = new StoredResults(report.on("storedResult"))
    const log = new EventLog(report, results)
    const [checkWhole, checkTimes] = [report.on("event"), report.on("times")]
    const checkEvent = (event: EventRecord): void => {
      checkTimes({ row: { seq: event.seq }, times: { timestamp: event.timestamp } })
      checkWhole(event)
    }
    const facts = new Facts(limits.facts)
    const messageBuckets = 1 + Math.floor(latest / limits.ids)
    const bucketOf = (id: number | string) =>
      typeof id === "string" ? bucketOfText(id, messageBuckets) : buckets.of(id)
    let read = 0
    const pass: Pass = {
      store,
      report,
      kept: latest,
      onRead: (events) => {
        read += events
        // Each event is read in the log, and with the row that it is about.
        onShare(Math.min(1, read / (2 * Math.max(1, pass.kept))))
      },
      buckets,
      log,
      results,
      checkEvent,
      note: (table, id, fact) => facts.add(table, bucketOf(id), fact),
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
            const references = some.filter(isReference)
            const eventsOf = yield* findEvents(store, references)
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
            pass.onRead(references.length)
          })
        )
      }
    }
    return pass
  })

/**
 * Checks every rule on a store; run it in a snapshot. What one part of the store shows about the rows of another is noted as
 * facts, and rows are compared with the facts about them range by range, so that few rows are in memory.
 */
export const verifyStore: (
  store: VerifiedStore,
  limits: VerificationLimits
) => Effect.Effect<ReadonlyArray<CheckResult>, StorageError> = Effect.fnUntraced(function* (
  store: VerifiedStore,
  limits: VerificationLimits
) {
  const pass = yield* startPass(store, limits)
  yield* noteStoredResults(pass)
  const removed = yield* noteCheckpoints(pass)
  pass.log.isTrimmed = removed.last > 0
  pass.kept -= removed.last
  pass.results.knownFrom = removed.resultsFrom
  yield* noteEvents(pass, removed)
  yield* noteMessages(pass)
  yield* noteOrders(pass)
  yield* verifyPets(pass)
  yield* verifyOrders(pass)
  yield* verifyCategories(pass)
  pass.log.settled.finish()
  yield* verifyMessages(pass)
  yield* verifyAccounts(pass)
  yield* verifyApiKeys(pass)
  yield* verifyConsumers(pass)
  yield* verifyParkedEvents(pass)
  yield* verifyWebhooks(pass)
  yield* verifyDeliveryRows(pass)
  yield* verifyDeliveries(pass)
  return pass.report.results
})
