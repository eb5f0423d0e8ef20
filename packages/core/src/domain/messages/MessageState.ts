/** The changes of a message in the queue, as pure functions: undefined stands for a rejected change. */

import * as Result from "effect/Result"
import { backoff, hour, minute, type RetrySchedule, second } from "../backoff.ts"
import { MessageAlreadyDelivered } from "../errors/RequestErrors.ts"
import { claimed, extended, isCurrent, isHeld, type Lease, longestLeaseMillis, released, unclaimed } from "../Lease.ts"
import { limits } from "../limits.ts"
import { plusMillis } from "../Timestamp.ts"
import type { MessageStatus, MessageWithDelivery } from "./Message.ts"

/** A message as it is stored. */
export interface MessageRecord {
  readonly id: string
  readonly message: string
  readonly status: MessageStatus
  readonly createdAt: string
  /** How many attempts at delivery have begun since the message was last queued. */
  readonly attempts: number
  readonly lease: Lease
  /** When a queued message without a lease may be attempted. Default: at once. */
  readonly dueAt?: string
  /** When the message was delivered, or failed. */
  readonly finishedAt?: string
  /** Why the last attempt failed. Absent if the message is delivered. */
  readonly lastError?: string
  /** The trace context of the call that queued it last, in the form of the header `traceparent`; absent if that was not traced. */
  readonly trace?: string
}

/** How long a message that could not be delivered waits for each next attempt: ten attempts in about 16 hours. */
export const messageRetries: RetrySchedule = {
  delays: [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour],
  end: "stop",
  jitter: 0.2
}

/** How often delivery of a message is attempted before it has failed. */
export const messageAttempts = messageRetries.delays.length + 1

/**
 * Milliseconds. A message that is due later than this from now received that time from a clock that has been set back, and is
 * due.
 */
export const longestMessageDelayMillis = 8 * hour * (1 + messageRetries.jitter)

/** The error of an attempt whose worker stopped, or could not extend its lease. The next attempts of its message are claimed alone. */
export const attemptLost = "The attempt did not end: its process stopped, or could not reach the database."

/** A message that enters the queue, by a call of this trace. */
export const queued = (id: string, message: string, createdAt: string, trace?: string): MessageRecord => ({
  id,
  message,
  status: "queued",
  createdAt,
  attempts: 0,
  lease: unclaimed,
  ...(trace === undefined ? {} : { trace })
})

/** A message as callers see it. */
export const toMessage = ({
  id,
  message,
  status,
  createdAt,
  attempts,
  lease,
  dueAt,
  finishedAt,
  lastError
}: MessageRecord): MessageWithDelivery => ({
  id,
  message,
  status,
  createdAt,
  ...(attempts === 0 ? {} : { attempts }),
  ...(attempts === 0 || lease.until !== undefined || dueAt === undefined ? {} : { nextAttemptAt: dueAt }),
  ...(finishedAt === undefined ? {} : status === "delivered" ? { deliveredAt: finishedAt } : { failedAt: finishedAt }),
  ...(lastError === undefined ? {} : { lastError })
})

/** What is invalid about a stored message, in words; undefined if it is valid. */
export const stateProblem = (record: MessageRecord): string | undefined => {
  const { attempts, dueAt, finishedAt, lastError, lease, status } = record
  const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0
  if (!isCount(lease.fence) || !isCount(attempts)) return "The attempts and the fence of a message are counts"
  if (attempts > lease.fence) return "A message has no more attempts than claims"
  if (status !== "queued" && (lease.until !== undefined || dueAt !== undefined)) return `A ${status} message is not due`
  if (lease.until !== undefined && (attempts === 0 || dueAt !== undefined))
    return "A message with a lease is in an attempt"
  if (status === "queued" && finishedAt !== undefined)
    return "A queued message has no time when it was delivered or failed"
  if (status !== "queued" && finishedAt === undefined) return `A ${status} message has the time when it was`
  if (lease.fence === 0 && dueAt !== undefined) return "A message that was never claimed is due since it was queued"
  if (status === "queued" && attempts === 0 && lastError !== undefined) return "A message without attempts has no error"
  if (status === "failed" && lastError === undefined) return "A failed message has an error"
  return status === "delivered" && lastError !== undefined ? "A delivered message has no error" : undefined
}

/** Which messages workers may claim at a time: a lease that ends later than `longestLease` has no effect, one due later than `longestDelay` is due. */
export const claimTimes = (now: string) => ({
  now,
  longestLease: plusMillis(now, longestLeaseMillis),
  longestDelay: plusMillis(now, longestMessageDelayMillis)
})

/** Whether a worker may claim a message now. */
export const isClaimable = ({ createdAt, dueAt = createdAt, lease, status }: MessageRecord, now: string): boolean => {
  if (status !== "queued") return false
  if (lease.until !== undefined) return !isHeld(lease, now)
  return dueAt <= now || dueAt > plusMillis(now, longestMessageDelayMillis)
}

/** Whether a message that can be claimed may end the process that delivers it: an attempt was lost, perhaps by another one of its claim. */
export const isSuspect = ({ lastError, lease }: MessageRecord): boolean =>
  lease.until !== undefined || lastError === attemptLost

const finished = (
  { dueAt: _, lastError: __, ...record }: MessageRecord,
  status: "delivered" | "failed",
  finishedAt: string
): MessageRecord => ({ ...record, status, lease: released(record.lease), finishedAt })

const waiting = ({ lastError: _, ...record }: MessageRecord, dueAt: string, lastError?: string): MessageRecord => ({
  ...record,
  lease: released(record.lease),
  dueAt,
  ...(lastError === undefined ? {} : { lastError })
})

/**
 * The message after a claim for this number of milliseconds, which begins an attempt. A lost attempt counts if its message was claimed
 * alone, as all are after the first loss: before, it may have waited for others when its process ended. A message whose last attempt was
 * lost so has failed instead.
 */
export const claim = (record: MessageRecord, now: string, millis: number): MessageRecord | undefined => {
  if (!isClaimable(record, now)) return undefined
  const isLost = record.lease.until !== undefined
  const isCounted = !isLost || record.lastError === attemptLost
  if (isLost && isCounted && record.attempts >= messageAttempts) {
    return { ...finished(record, "failed", now), lastError: attemptLost }
  }
  const { dueAt: _, ...rest } = record
  return {
    ...rest,
    attempts: isCounted ? record.attempts + 1 : record.attempts,
    lease: claimed(record.lease, now, millis),
    ...(isLost ? { lastError: attemptLost } : {})
  }
}

const isOf = ({ lease, status }: MessageRecord, fence: number): boolean =>
  status === "queued" && isCurrent(lease, fence)

/** The message after the worker of this claim has extended its lease. */
export const extend = (record: MessageRecord, fence: number, now: string, millis: number): MessageRecord | undefined =>
  isOf(record, fence) ? { ...record, lease: extended(record.lease, now, millis) } : undefined

/** The message after the attempt of this claim has delivered it. */
export const succeed = (record: MessageRecord, fence: number, now: string): MessageRecord | undefined =>
  isOf(record, fence) ? finished(record, "delivered", now) : undefined

/**
 * The message after the attempt of this claim has failed: it waits for the next one, or has failed if this was the last.
 * `random` is a random number from 0 up to, but not including, 1.
 */
export const fail = (
  record: MessageRecord,
  fence: number,
  error: string,
  now: string,
  random: number
): MessageRecord | undefined => {
  if (!isOf(record, fence)) return undefined
  const lastError = reasonOf(error)
  const delay = backoff(messageRetries, record.attempts, random)
  return delay === undefined
    ? { ...finished(record, "failed", now), lastError }
    : waiting(record, plusMillis(now, delay), lastError)
}

/** The message after the worker of this claim has given it back: it is due at once, and the attempt does not count. */
export const release = (record: MessageRecord, fence: number, now: string): MessageRecord | undefined => {
  if (!isOf(record, fence)) return undefined
  const attempts = record.attempts - 1
  return waiting({ ...record, attempts }, now, attempts === 0 ? undefined : record.lastError)
}

/**
 * The message after something other than a worker has delivered it, such as a webhook. The first of them delivers it, so a
 * message that a worker has, or that had failed, is delivered too.
 */
export const acknowledge = (record: MessageRecord, now: string): MessageRecord | undefined =>
  record.status === "delivered" ? undefined : finished(record, "delivered", now)

/** The message after all webhooks have failed to deliver it; undefined if workers have begun to, because then they decide. */
export const giveUp = (record: MessageRecord, error: string, now: string): MessageRecord | undefined =>
  record.status === "queued" && record.attempts === 0
    ? { ...finished(record, "failed", now), lastError: reasonOf(error) }
    : undefined

/** Queues a failed message again, with ten new attempts, by a call of this trace. A queued message stays as it is. */
export const requeue = (
  record: MessageRecord,
  now: string,
  trace?: string
): Result.Result<MessageRecord, MessageAlreadyDelivered> => {
  switch (record.status) {
    case "queued":
      return Result.succeed(record)
    case "delivered":
      return Result.fail(new MessageAlreadyDelivered({ messageId: record.id }))
    case "failed": {
      const { dueAt, finishedAt: _, trace: __, ...rest } = waiting({ ...record, attempts: 0 }, now)
      // One that no worker has ever claimed is due since its creation.
      const due = record.lease.fence === 0 || dueAt === undefined ? {} : { dueAt }
      return Result.succeed({ ...rest, ...due, status: "queued", ...(trace === undefined ? {} : { trace }) })
    }
  }
}

// Line breaks stay; PostgreSQL stores no NUL, and other control characters spoil a terminal.
const control = /[^\P{Cc}\n\t]/gu

/** The message of an error as it is stored: well-formed, and of a limited length. */
export const reasonOf = (error: string): string => {
  const clean = error.toWellFormed().replace(control, " ").trim()
  if (clean === "") return "The attempt failed without a message."
  const points = [...clean.slice(0, 2 * (limits.messageError + 1))]
  return points.length <= limits.messageError ? clean : `${points.slice(0, limits.messageError - 1).join("")}…`
}
