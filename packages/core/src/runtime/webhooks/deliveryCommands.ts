import * as Result from "effect/Result"
import type { SecretUnreadable } from "../../domain/errors/ServiceErrors.ts"
import { newEvent } from "../../domain/events/Event.ts"
import { claimed, isCurrent, longestLeaseMillis, released } from "../../domain/Lease.ts"
import { limits } from "../../domain/limits.ts"
import type { MessageRecord } from "../../domain/messages/MessageState.ts"
import { parseTimestamp, plusMillis } from "../../domain/Timestamp.ts"
import { failingLimitMillis, retryDelay, withAttempt } from "../../domain/webhooks/Delivery.ts"
import { disabled, webhookState } from "../../domain/webhooks/Webhook.ts"
import type { Command } from "../../kernel/Command.ts"
import type { Call } from "../../programs/Call.ts"
import type { AttemptOutcome } from "../../programs/webhooks/attempt.ts"
import type { WebhookSecrets } from "../../programs/webhooks/secrets/WebhookSecrets.ts"
import type { EventRecord } from "../../tables/eventTable.ts"
import {
  deliveries,
  dueDeliveries,
  leasedDeliveries,
  messages,
  pendingDeliveries,
  webhooks
} from "../../tables/index.ts"
import type { DeliveryRecord, WebhookRecord } from "../../tables/webhookTables.ts"
import type { Claimed, Ended } from "../background/Worker.ts"
import { deliveredMessage, endMessage } from "./messageDeliveries.ts"

/** A delivery that a worker has claimed, and its endpoint as it was then. */
export interface ClaimedDelivery {
  readonly record: DeliveryRecord
  readonly webhook: WebhookRecord
  /** The events of those that were claimed with it, by `seq`; undefined if they could not be read. */
  readonly events?: ReadonlyMap<number, EventRecord> | undefined
  /** The span of its attempt. */
  span?: string | undefined
  /** Whether it is claimed to record that an attempt was lost, and nothing is sent. */
  readonly isLost?: boolean
  /** Milliseconds that its attempt has taken. */
  durationMs?: number
}

/** What a claim of deliveries has found. */
export interface Claiming extends Claimed<ClaimedDelivery> {
  /** Whether nothing is due, whatever the times of deliveries are. */
  readonly isWaiting?: boolean
  /** Why nothing can be sent to the endpoint. */
  readonly unreadable?: SecretUnreadable
}

/** The outcome of an attempt whose process stopped, or could not record another one. */
export const attemptLost = {
  delivered: false,
  reason: "attempt_lost",
  message: "The attempt did not end: its process stopped, or could not reach the database."
} as const satisfies AttemptOutcome

/** Milliseconds that a claim lasts. An attempt takes less. */
export const deliveryLeaseMillis = 60_000

/** Milliseconds after which to look again whether others have ended attempts. */
const retryWhenFullMillis = 1_000

const millisOf = (timestamp: string): number => parseTimestamp(timestamp) ?? 0

/**
 * Claims deliveries of an endpoint that are due, until the turn is over, so that over all processes at most `most` are claimed, and no more
 * than its concurrency. The first lost attempt in a row does not count, since its process may have ended by another one. Those behind it are
 * sent one at a time.
 */
export function* claimDeliveries(
  call: Call,
  secrets: WebhookSecrets["Service"],
  webhookId: number,
  limit: number,
  most: number,
  isOver: () => boolean
): Command<Claiming> {
  const { tx } = call
  const webhook = yield* tx.lock(webhooks, webhookId)
  // Nothing is due until it is enabled, which wakes the worker.
  if (webhook === undefined || !webhook.webhook.enabled) return { items: [], isWaiting: true }
  const now = call.clockTime()
  const allowed = Math.min(webhook.webhook.concurrency, most)
  // Leases that end later than any does were written by a clock that has been set back.
  const through = plusMillis(now, longestLeaseMillis)
  const room = allowed - (yield* tx.count(leasedDeliveries, { webhookId, after: now, through }, allowed))
  if (room <= 0) return { items: [], nextDue: plusMillis(now, retryWhenFullMillis) }
  const opened = secrets.open(webhook)
  if (Result.isFailure(opened)) return { items: [], isWaiting: true, unreadable: opened.failure }
  const items: Array<ClaimedDelivery> = []
  const wanted = Math.min(room, limit)
  let rows = yield* tx.all(dueDeliveries, { webhookId, at: now }, wanted)
  let isSuspected = false
  if (rows.some(isSuspect)) {
    // No more than these are in work when a process ends.
    rows = yield* tx.all(dueDeliveries, { webhookId, at: now }, wanted + limits.webhookConcurrency)
    isSuspected = (yield* tx.all(leasedDeliveries, { webhookId, after: now, through }, allowed)).some(wasSuspect)
  }
  let nextDue: string | undefined
  for (const due of rows) {
    if (items.length === wanted) break
    if (items.length > 0 && isOver()) return { items, isCut: true }
    if (isSuspect(due)) {
      if (isSuspected) {
        nextDue = plusMillis(now, retryWhenFullMillis)
        continue
      }
      isSuspected = true
    }
    const isLost = due.lease.until !== undefined && wasSuspect(due)
    const before = due.lease.until !== undefined && !isLost ? afterLoss(due, now) : due
    const lease = claimed(due.lease, now, deliveryLeaseMillis)
    const record = { ...before, delivery: { ...before.delivery, nextAttemptAt: lease.until ?? now }, lease }
    tx.save(deliveries, record)
    items.push({ record, webhook: opened.success, ...(isLost ? { isLost } : {}) })
  }
  return { items, nextDue }
}

/** Whether the last attempt of a delivery was lost, before it was claimed. */
const wasSuspect = ({ delivery }: DeliveryRecord): boolean => delivery.failure === attemptLost.reason

/** Whether a due delivery may end the process that sends it: its last attempt was lost. */
const isSuspect = (due: DeliveryRecord): boolean => (due.lease.until !== undefined) !== wasSuspect(due)

/** A delivery after the first of its attempts in a row that was lost. */
const afterLoss = ({ delivery, latestAttempts, lease }: DeliveryRecord, now: string): DeliveryRecord => {
  const { responseStatus: _, ...rest } = delivery
  const { message, reason } = attemptLost
  return {
    delivery: { ...rest, lastAttemptAt: now, failure: reason, message },
    lease,
    latestAttempts: withAttempt(latestAttempts, [now, 0, 0, reason, message])
  }
}

/** Changes deliveries of an endpoint whose claim is still the latest, and returns the others. */
export function* changeDeliveries(
  call: Call,
  webhookId: number,
  items: ReadonlyArray<ClaimedDelivery>,
  change: (record: DeliveryRecord, now: string) => DeliveryRecord
): Command<ReadonlyArray<ClaimedDelivery>> {
  const { tx } = call
  if ((yield* tx.lock(webhooks, webhookId)) === undefined) return items
  const now = call.clockTime()
  const lost: Array<ClaimedDelivery> = []
  for (const item of items) {
    const record = yield* tx.find(deliveries, item.record.delivery.id)
    if (record === undefined || !isCurrent(record.lease, item.record.lease.fence)) lost.push(item)
    else tx.save(deliveries, change(record, now))
  }
  return lost
}

interface RecordedAttempts {
  /** The outcome that has disabled the endpoint. */
  readonly disabledBy?: AttemptOutcome | undefined
  /** How many were not looked at, because the turn was over. */
  readonly left: number
}

/**
 * Records the outcomes of attempts to deliver to an endpoint until the turn is over, at least one, except for deliveries that another
 * worker has claimed meanwhile. `random`: makes a random number from 0 up to, but not including, 1, for each of them.
 */
export function* recordAttempts(
  call: Call,
  secrets: WebhookSecrets["Service"],
  webhookId: number,
  ended: ReadonlyArray<Ended<ClaimedDelivery, AttemptOutcome>>,
  random: () => number,
  isOver: () => boolean
): Command<RecordedAttempts> {
  const { tx } = call
  // Before the endpoint. No other delivery of them ends while they are locked: two that fail last at once would leave them pending.
  const locked = yield* tx.lockAll(
    messages,
    ended.flatMap(({ item }) => deliveredMessage(item) ?? [])
  )
  if ((yield* tx.lock(webhooks, webhookId)) === undefined) return { left: 0 }
  let disabledBy: AttemptOutcome | undefined
  for (const [place, { item, outcome }] of ended.entries()) {
    if (place > 0 && isOver()) return { disabledBy, left: ended.length - place }
    const message = locked.get(deliveredMessage(item) ?? "")
    if (yield* recordAttempt(call, secrets, item, message, outcome, random())) disabledBy = outcome
  }
  return { disabledBy, left: 0 }
}

/** Records one of them. Returns whether it has disabled the endpoint. */
function* recordAttempt(
  call: Call,
  secrets: WebhookSecrets["Service"],
  item: ClaimedDelivery,
  locked: MessageRecord | undefined,
  outcome: AttemptOutcome,
  random: number
): Command<boolean> {
  const { tx } = call
  const { delivery, lease } = item.record
  const { subject, webhookId } = delivery
  // As the attempts before it have left them.
  const message = locked && (yield* tx.lock(messages, locked.id))
  const webhook = yield* tx.lock(webhooks, webhookId)
  const before = yield* tx.find(deliveries, delivery.id)
  if (webhook === undefined || before === undefined || !isCurrent(before.lease, lease.fence)) return false
  const now = call.clockTime()
  const after = afterAttempt(before, outcome, item.durationMs ?? 0, now, random)
  tx.save(deliveries, after)
  const hasEnded = after.delivery.status !== "pending"
  const next =
    hasEnded && (webhook.webhook.ordered || message !== undefined)
      ? yield* tx.first(pendingDeliveries, { webhookId, subject })
      : undefined
  if (next !== undefined && next.delivery.nextAttemptAt === undefined) {
    tx.save(deliveries, { ...next, delivery: { ...next.delivery, nextAttemptAt: now } })
  }
  const changed = webhookAfter(webhook, outcome, now)
  if (changed !== undefined) tx.save(webhooks, secrets.seal(changed))
  const isEnabled = (changed ?? webhook).webhook.enabled
  const isDisabled = webhook.webhook.enabled && !isEnabled
  if (isDisabled && changed !== undefined) {
    const data = { ...webhookState(changed.webhook), version: changed.version }
    call.record(now, [newEvent("webhook.disabled", data)])
  }
  if (message !== undefined) yield* endMessage(call, message, after.delivery, isEnabled && next !== undefined)
  return isDisabled
}

/** A delivery after an attempt: delivered, due again, or failed for good. */
const afterAttempt = (
  { delivery, latestAttempts, lease }: DeliveryRecord,
  outcome: AttemptOutcome,
  durationMs: number,
  now: string,
  random: number
): DeliveryRecord => {
  const { failure: _, finishedAt: __, message: ___, nextAttemptAt: ____, responseStatus: _____, ...rest } = delivery
  const attempts = delivery.attempts + 1
  const made = { ...rest, attempts, lastAttemptAt: now }
  if (outcome.delivered) {
    return {
      delivery: { ...made, status: "delivered", responseStatus: outcome.status, finishedAt: now },
      lease: released(lease),
      latestAttempts: withAttempt(latestAttempts, [now, durationMs, outcome.status])
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
    lease: released(lease),
    latestAttempts: withAttempt(latestAttempts, [now, durationMs, status ?? 0, reason, message])
  }
}

/** An endpoint after an attempt; undefined if it stays the same. It is disabled if it wants no more, or failed for days. */
const webhookAfter = (record: WebhookRecord, outcome: AttemptOutcome, now: string): WebhookRecord | undefined => {
  const { failingSince, ...rest } = record
  const { createdAt } = record.webhook
  if (outcome.delivered) return failingSince === undefined ? undefined : rest
  if (outcome.reason === "event_gone" || outcome.reason === "attempt_lost") return undefined
  // The clock of the process that created it may have been ahead.
  const since = failingSince ?? (now < createdAt ? createdAt : now)
  const isTooLong = millisOf(now) - millisOf(since) >= failingLimitMillis
  const reason = outcome.reason === "gone" ? "gone" : isTooLong ? "failing" : undefined
  if (reason === undefined || !record.webhook.enabled) {
    return failingSince === undefined ? { ...record, failingSince: since } : undefined
  }
  const { version, webhook } = record
  return { ...record, failingSince: since, webhook: disabled(webhook, reason, now), version: version + 1 }
}
