import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { failingLimit, retryDelay } from "../../domain/Delivery.ts"
import { newEvent } from "../../domain/Event.ts"
import { claimed, extended, isCurrent, longestLease, released } from "../../domain/Lease.ts"
import { parseTimestamp, plusMillis } from "../../domain/Timestamp.ts"
import { disabled, webhookBody, webhookState } from "../../domain/Webhook.ts"
import type { DeliveryRecord } from "../../ports/DeliveryRows.ts"
import type { EventRecord } from "../../ports/EventRows.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { Transaction } from "../../ports/Transaction.ts"
import { traceparent } from "../../ports/traceparent.ts"
import type { WebhookRecord } from "../../ports/WebhookRows.ts"
import type { WebhookSender } from "../../ports/WebhookSender.ts"
import { sleep } from "../background/sleep.ts"
import type { Claimed } from "../background/Worker.ts"
import type { Journal } from "../Journal.ts"
import type { WebhookSecrets } from "../secrets/WebhookSecrets.ts"
import type { AttemptCounts } from "../stats/AttemptCounts.ts"
import { type TracedWork, tracedWork, type WorkSpan } from "../tracing.ts"
import { type AttemptOutcome, attempt } from "./attempt.ts"
import type { DeliveredMessages } from "./DeliveredMessages.ts"

/** A delivery that a worker has claimed, and its endpoint as it was then. */
export interface ClaimedDelivery {
  readonly record: DeliveryRecord
  readonly webhook: WebhookRecord
}

interface Claiming extends Claimed<ClaimedDelivery> {
  /** Whether nothing is due, whatever the times of deliveries are. */
  readonly isWaiting?: boolean
}

/** Milliseconds that a claim lasts. An attempt takes less. */
export const deliveryLease = 60_000

/** Milliseconds after which to look again whether others have ended attempts. */
const retryWhenFull = 1_000

/** Milliseconds between two tries to record an outcome that the store has refused. */
const shortestRetry = 100
const longestRetry = 5_000

const eventGone: AttemptOutcome = {
  delivered: false,
  reason: "event_gone",
  message: "The event is no longer in the log."
}

const millisOf = (timestamp: string): number => parseTimestamp(timestamp) ?? 0

/** The attempts of deliveries to endpoints: claimed by lease, made outside of transactions, and recorded with the fence. */
export class DeliveryWork {
  private readonly storage: Storage["Service"]
  private readonly journal: Journal["Service"]
  private readonly sender: WebhookSender["Service"]
  private readonly counts: AttemptCounts["Service"]["webhooks"]
  private readonly messages: DeliveredMessages
  private readonly secrets: WebhookSecrets["Service"]

  constructor(
    storage: Storage["Service"],
    journal: Journal["Service"],
    sender: WebhookSender["Service"],
    counts: AttemptCounts["Service"],
    messages: DeliveredMessages,
    secrets: WebhookSecrets["Service"]
  ) {
    this.storage = storage
    this.journal = journal
    this.sender = sender
    this.counts = counts.webhooks
    this.messages = messages
    this.secrets = secrets
  }

  /** Claims deliveries of an endpoint that are due, so that over all processes at most `most` are claimed, and no more than its concurrency. */
  claim(webhookId: number, limit: number, most: number): Effect.Effect<Claimed<ClaimedDelivery>, StorageError> {
    const { deliveries, transact, webhooks } = this.storage
    const { clockTime } = this.journal
    const { secrets } = this
    const claiming = Effect.gen(function* (): Effect.fn.Return<Claiming, StorageError, Transaction> {
      const webhook = yield* webhooks.lock(webhookId)
      // Nothing is due until it is enabled, which wakes the worker.
      if (webhook === undefined || !webhook.webhook.enabled) return { items: [], isWaiting: true }
      const now = yield* clockTime
      // Leases that end later than any does were written by a clock that has been set back.
      const stale = yield* deliveries.leased(webhookId, plusMillis(now, longestLease))
      const allowed = Math.min(webhook.webhook.concurrency, most)
      const room = allowed - (yield* deliveries.leased(webhookId, now)) + stale
      if (room <= 0) return { items: [], nextDue: plusMillis(now, retryWhenFull) }
      const opened = yield* secrets.openOrReport(webhook)
      if (opened === undefined) return { items: [], isWaiting: true }
      const items: Array<ClaimedDelivery> = []
      for (const { delivery, lease } of yield* deliveries.due(webhookId, now, Math.min(room, limit))) {
        const next = claimed(lease, now, deliveryLease)
        const record = { delivery: { ...delivery, nextAttemptAt: next.until ?? now }, lease: next }
        yield* deliveries.save(record)
        items.push({ record, webhook: opened })
      }
      return { items }
    })
    return Effect.gen(function* () {
      const due = yield* deliveries.nextDue(webhookId)
      if (due === undefined) return { items: [] }
      if (due > (yield* clockTime)) return { items: [], nextDue: due }
      const { isWaiting, items, nextDue } = yield* transact(claiming, "deliveries.claim")
      return {
        items,
        nextDue: isWaiting === true || nextDue !== undefined ? nextDue : yield* deliveries.nextDue(webhookId)
      }
    })
  }

  /** Extends the leases of deliveries of an endpoint, and returns those that are lost. */
  extend(
    webhookId: number,
    items: ReadonlyArray<ClaimedDelivery>
  ): Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageError> {
    return this.withCurrent(webhookId, items, "deliveries.extend", (record, now) => {
      const lease = extended(record.lease, now, deliveryLease)
      return { delivery: { ...record.delivery, nextAttemptAt: lease.until ?? now }, lease }
    })
  }

  /** Gives deliveries of an endpoint back whose attempt was interrupted: it is made again. */
  release(webhookId: number, items: ReadonlyArray<ClaimedDelivery>): Effect.Effect<void, StorageError> {
    return Effect.asVoid(
      this.withCurrent(webhookId, items, "deliveries.release", ({ delivery, lease }, now) => ({
        delivery: { ...delivery, nextAttemptAt: now },
        lease: released(lease)
      }))
    )
  }

  /** Makes an attempt and records its outcome, which it returns. */
  run(item: ClaimedDelivery): Effect.Effect<AttemptOutcome, StorageError> {
    const { seq } = item.record.delivery
    return Effect.flatMap(this.storage.events.scan(seq - 1, 1), ([found]) => {
      const event = found?.seq === seq ? found : undefined
      return tracedWork(
        () => spanOf(item, event),
        (span) => this.deliver(item, event, span)
      )
    })
  }

  private deliver(
    item: ClaimedDelivery,
    event: EventRecord | undefined,
    span: WorkSpan
  ): Effect.Effect<AttemptOutcome, StorageError> {
    const { attempts } = item.record.delivery
    return Effect.gen({ self: this }, function* () {
      const outcome = event === undefined ? eventGone : yield* this.send(item.webhook, event, attempts)
      const named = outcome.delivered ? "delivered" : outcome.reason
      this.counts[named]++
      span.attribute("petstore.delivery.outcome", named)
      yield* this.recorded(item, outcome)
      return outcome
    })
  }

  private send(webhook: WebhookRecord, event: EventRecord, attempts: number): Effect.Effect<AttemptOutcome> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      attempt(
        this.sender,
        webhook,
        { id: event.id, body: webhookBody(event), attempts, traceparent: event[traceparent] },
        now
      )
    )
  }

  /** Tries to record the outcome until that succeeds: otherwise the attempt would be made again. Interrupted when the lease ends. */
  private recorded(
    item: ClaimedDelivery,
    outcome: AttemptOutcome,
    wait = shortestRetry
  ): Effect.Effect<void, StorageError> {
    return Effect.catch(this.record(item, outcome), (error) =>
      error.code === "shutting_down"
        ? Effect.fail(error)
        : Effect.andThen(
            sleep(wait),
            Effect.suspend(() => this.recorded(item, outcome, Math.min(2 * wait, longestRetry)))
          )
    )
  }

  /** Records the outcome of an attempt, unless another worker has claimed the delivery meanwhile. */
  private record(item: ClaimedDelivery, outcome: AttemptOutcome): Effect.Effect<void, StorageError> {
    const { deliveries, transact, webhooks } = this.storage
    const { journal, messages } = this
    const { delivery, lease } = item.record
    const recording = Effect.gen(function* () {
      const message = yield* messages.lockOf(item)
      const webhook = yield* webhooks.lock(delivery.webhookId)
      if (webhook === undefined) return
      const before = yield* deliveries.find(delivery.id)
      if (before === undefined || !isCurrent(before.lease, lease.fence)) return
      const now = yield* journal.clockTime
      const after = yield* afterAttempt(before, outcome, now)
      yield* deliveries.save(after)
      const hasEnded = after.delivery.status !== "pending"
      const next =
        hasEnded && (webhook.webhook.ordered || message !== undefined)
          ? yield* deliveries.firstPending(delivery.webhookId, delivery.subject)
          : undefined
      if (next !== undefined && next.delivery.nextAttemptAt === undefined) {
        yield* deliveries.save({ ...next, delivery: { ...next.delivery, nextAttemptAt: now } })
      }
      const changed = webhookAfter(webhook, outcome, now)
      if (changed !== undefined) yield* webhooks.save(changed)
      const isEnabled = (changed ?? webhook).webhook.enabled
      const isDisabled = webhook.webhook.enabled && !isEnabled
      if (isDisabled && changed !== undefined) {
        const data = { ...webhookState(changed.webhook), version: changed.version }
        yield* journal.record(now, [newEvent("webhook.disabled", data)])
      }
      if (message !== undefined) yield* messages.end(message, after.delivery, isEnabled && next !== undefined)
      return isDisabled
    })
    return Effect.flatMap(transact(recording, "deliveries.record"), (isDisabled) =>
      isDisabled === true ? logDisabled(delivery.webhookId, outcome) : Effect.void
    )
  }

  /** Changes deliveries whose claim is still the latest, and returns the others. */
  private withCurrent(
    webhookId: number,
    items: ReadonlyArray<ClaimedDelivery>,
    command: "deliveries.extend" | "deliveries.release",
    change: (record: DeliveryRecord, now: string) => DeliveryRecord
  ): Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageError> {
    const { deliveries, transact, webhooks } = this.storage
    const { clockTime } = this.journal
    const changing = Effect.gen(function* () {
      if ((yield* webhooks.lock(webhookId)) === undefined) return items
      const now = yield* clockTime
      const lost: Array<ClaimedDelivery> = []
      for (const item of items) {
        const record = yield* deliveries.find(item.record.delivery.id)
        if (record === undefined || !isCurrent(record.lease, item.record.lease.fence)) lost.push(item)
        else yield* deliveries.save(change(record, now))
      }
      return lost
    })
    return transact(changing, command)
  }
}

const logDisabled = (webhookId: number, outcome: AttemptOutcome): Effect.Effect<void> => {
  const cause = !outcome.delivered && outcome.reason === "gone" ? "it responded 410" : "all attempts failed for 5 days"
  return Effect.logWarning(`Webhook ${webhookId} was disabled because ${cause}. Enable it to send what waits for it.`)
}

const spanOf = ({ record: { delivery } }: ClaimedDelivery, event: EventRecord | undefined): TracedWork => ({
  name: "webhooks.deliver",
  kind: "internal",
  attributes: {
    "petstore.webhook.id": delivery.webhookId,
    "petstore.delivery.id": delivery.id,
    "petstore.delivery.attempt": delivery.attempts + 1,
    "petstore.event.id": delivery.eventId,
    "petstore.event.type": delivery.type
  },
  causes: [event?.[traceparent]]
})

/** A delivery after an attempt: delivered, due again, or failed for good. */
const afterAttempt = (
  { delivery, lease }: DeliveryRecord,
  outcome: AttemptOutcome,
  now: string
): Effect.Effect<DeliveryRecord> =>
  Effect.map(Random.next, (random) => {
    const { failure: _, finishedAt: __, message: ___, nextAttemptAt: ____, responseStatus: _____, ...rest } = delivery
    const attempts = delivery.attempts + 1
    const made = { ...rest, attempts, lastAttemptAt: now }
    if (outcome.delivered) {
      return {
        delivery: { ...made, status: "delivered", responseStatus: outcome.status, finishedAt: now },
        lease: released(lease)
      }
    }
    const { message, reason, retryAfter, status } = outcome
    const failed = { ...made, failure: reason, message, ...(status === undefined ? {} : { responseStatus: status }) }
    const isFinal = reason === "gone" || reason === "event_gone"
    const delay = isFinal ? undefined : retryDelay(attempts, random, retryAfter)
    return {
      delivery:
        delay === undefined
          ? { ...failed, status: "failed", finishedAt: now }
          : { ...failed, status: "pending", nextAttemptAt: plusMillis(now, delay) },
      lease: released(lease)
    }
  })

/** An endpoint after an attempt; undefined if it stays the same. It is disabled if it wants no more, or failed for days. */
const webhookAfter = (record: WebhookRecord, outcome: AttemptOutcome, now: string): WebhookRecord | undefined => {
  const { failingSince, ...rest } = record
  if (outcome.delivered) return failingSince === undefined ? undefined : rest
  if (outcome.reason === "event_gone") return undefined
  const since = failingSince ?? now
  const isTooLong = millisOf(now) - millisOf(since) >= failingLimit
  const reason = outcome.reason === "gone" ? "gone" : isTooLong ? "failing" : undefined
  if (reason === undefined || !record.webhook.enabled) {
    return failingSince === undefined ? { ...record, failingSince: since } : undefined
  }
  const { version, webhook } = record
  return { ...record, failingSince: since, webhook: disabled(webhook, reason, now), version: version + 1 }
}
