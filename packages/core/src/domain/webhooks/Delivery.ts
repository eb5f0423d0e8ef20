/** Deliveries of events to endpoints, and the rules of their attempts. Pure functions. */

import * as Schema from "effect/Schema"
import { backoff, hour, minute, type RetrySchedule, second } from "../backoff.ts"
import { EventSubject, EventType } from "../events/Event.ts"
import { Id, integer } from "../Id.ts"
import { limits } from "../limits.ts"
import { ListQuery } from "../PageQuery.ts"
import { Timestamp } from "../Timestamp.ts"

/** `pending` until it is delivered, or has failed for good. */
export const DeliveryStatus = Schema.Literals(["pending", "delivered", "failed"]).annotate({
  identifier: "DeliveryStatus"
})
export type DeliveryStatus = typeof DeliveryStatus.Type

/**
 * Why an attempt failed: what the sender returns, or `no_sender` if the petstore has none, `event_gone` if the event is no longer in the log,
 * or `attempt_lost` if its process has not recorded an outcome.
 */
export const AttemptFailure = Schema.Literals([
  "status",
  "gone",
  "redirect",
  "timeout",
  "connection",
  "address",
  "response_too_large",
  "invalid_response",
  "no_sender",
  "event_gone",
  "attempt_lost"
]).annotate({ identifier: "AttemptFailure" })
export type AttemptFailure = typeof AttemptFailure.Type

/** The delivery of one event to one endpoint. */
export const Delivery = Schema.Struct({
  id: Id,
  webhookId: Id,
  seq: Id,
  eventId: Schema.String,
  type: EventType,
  subject: Schema.String,
  status: DeliveryStatus,
  /** How many attempts were made since it was scheduled. */
  attempts: integer(0, Number.MAX_SAFE_INTEGER),
  createdAt: Timestamp,
  /** When the next attempt is due, at the earliest. Absent if there is none, or if it waits for an earlier event of its subject. */
  nextAttemptAt: Schema.optionalKey(Timestamp),
  lastAttemptAt: Schema.optionalKey(Timestamp),
  /** Why the last attempt failed. */
  failure: Schema.optionalKey(AttemptFailure),
  /** The status of the last response. */
  responseStatus: Schema.optionalKey(integer(100, 599)),
  message: Schema.optionalKey(Schema.String),
  finishedAt: Schema.optionalKey(Timestamp)
}).annotate({ identifier: "Delivery" })
export interface Delivery extends Schema.Schema.Type<typeof Delivery> {}

/** What came of a request to an endpoint. */
const outcomeFields = {
  delivered: Schema.Boolean,
  responseStatus: Schema.optionalKey(integer(100, 599)),
  failure: Schema.optionalKey(AttemptFailure),
  message: Schema.optionalKey(Schema.String)
}

/** One attempt of a delivery. */
export const DeliveryAttempt = Schema.Struct({
  /** When its outcome was recorded. */
  at: Timestamp,
  /** Milliseconds from its beginning to its outcome. */
  durationMs: integer(0, Number.MAX_SAFE_INTEGER),
  ...outcomeFields
}).annotate({ identifier: "DeliveryAttempt" })
export interface DeliveryAttempt extends Schema.Schema.Type<typeof DeliveryAttempt> {}

/** A delivery with its latest attempts, those before it was scheduled again included, the oldest first. */
export const DeliveryWithAttempts = Schema.Struct({
  ...Delivery.fields,
  latestAttempts: Schema.Array(DeliveryAttempt)
}).annotate({ identifier: "DeliveryWithAttempts" })
export interface DeliveryWithAttempts extends Schema.Schema.Type<typeof DeliveryWithAttempts> {}

/** An attempt as it is stored in the row of its delivery, which is written again with each attempt. Without a response, the status is 0. */
export type StoredAttempt = readonly [
  at: string,
  durationMs: number,
  responseStatus: number,
  failure?: AttemptFailure,
  message?: string
]

/** How many attempts of a delivery are stored: as many as it has until it fails for good. */
export const latestAttemptsLimit = 10

/** The stored attempts after another one. */
export const withAttempt = (
  before: ReadonlyArray<StoredAttempt> = [],
  made: StoredAttempt
): ReadonlyArray<StoredAttempt> => [...before.slice(1 - latestAttemptsLimit), made]

/** An attempt as callers see it. */
export const toAttempt = ([at, durationMs, status, failure, message]: StoredAttempt): DeliveryAttempt => ({
  at,
  durationMs,
  delivered: failure === undefined,
  ...(status === 0 ? {} : { responseStatus: status }),
  ...(failure === undefined ? {} : { failure }),
  ...(message === undefined ? {} : { message })
})

/** Which deliveries of an endpoint to list. */
export const DeliveryFilter = Schema.Struct({ ...ListQuery.fields, status: Schema.optionalKey(DeliveryStatus) })
export interface DeliveryFilter extends Schema.Schema.Type<typeof DeliveryFilter> {}

/** Which deliveries to list, of all endpoints. */
export const DeliverySearch = Schema.Struct({
  ...DeliveryFilter.fields,
  type: Schema.optionalKey(EventType),
  subject: Schema.optionalKey(EventSubject)
})
export interface DeliverySearch extends Schema.Schema.Type<typeof DeliverySearch> {}

/** Which deliveries to schedule again. */
export const DeliveryRequeue = Schema.Struct({
  status: Schema.Literal("failed"),
  /** Those to this endpoint. Default: to all. */
  webhookId: Schema.optionalKey(Id),
  /** Only deliveries after this one. Default: all, from the oldest. */
  after: Schema.optionalKey(Id)
}).annotate({ identifier: "DeliveryRequeue" })
export interface DeliveryRequeue extends Schema.Schema.Type<typeof DeliveryRequeue> {}

/** How many deliveries a call of `requeueAll` has scheduled again, and where to continue. */
export const DeliveriesRequeued = Schema.Struct({
  /** The number of deliveries. */
  requeued: integer(0, limits.requeues),
  /** The last delivery that was looked at, if there may be more: continue with it as `after`. */
  next: Schema.optionalKey(Id)
}).annotate({ identifier: "DeliveriesRequeued" })
export interface DeliveriesRequeued extends Schema.Schema.Type<typeof DeliveriesRequeued> {}

const seq = integer(0, Number.MAX_SAFE_INTEGER)

/** What to deliver again: one delivery, or the events of a range. */
export const Redelivery = Schema.Struct({
  deliveryId: Schema.optionalKey(Id),
  /** Events with a `seq` above this one. */
  after: Schema.optionalKey(seq),
  /** Up to this `seq`. Default: the last event. */
  through: Schema.optionalKey(seq)
})
  .check(
    Schema.makeFilter(
      ({ after, deliveryId, through }) =>
        deliveryId === undefined ? after !== undefined : after === undefined && through === undefined,
      {
        message: "Expected either deliveryId, or after and perhaps through",
        toJsonSchema: () => ({
          oneOf: [
            { required: ["deliveryId"], maxProperties: 1 },
            { required: ["after"], maxProperties: 1 },
            { required: ["after", "through"], maxProperties: 2 }
          ]
        })
      }
    )
  )
  .annotate({ identifier: "Redelivery" })
export interface Redelivery extends Schema.Schema.Type<typeof Redelivery> {}

/** What a redelivery has scheduled. */
export const Redelivered = Schema.Struct({
  /** The number of deliveries. */
  scheduled: integer(0, limits.redeliveries),
  /** The `seq` that a range was looked at up to, if there may be more: continue with it as `after`. */
  next: Schema.optionalKey(Id)
}).annotate({ identifier: "Redelivered" })
export interface Redelivered extends Schema.Schema.Type<typeof Redelivered> {}

/** The outcome of a test request. */
export const WebhookTestResult = Schema.Struct(outcomeFields).annotate({ identifier: "WebhookTestResult" })
export interface WebhookTestResult extends Schema.Schema.Type<typeof WebhookTestResult> {}

/** The retries of a delivery: ten attempts in about three days, if the first is due at once. */
export const deliverySchedule: RetrySchedule = {
  delays: [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
  jitter: 0.1,
  end: "stop"
}

/** Milliseconds. A longer `Retry-After` counts as this one. */
export const longestRetryAfterMillis = 24 * hour

/** Milliseconds of failed attempts, without one that succeeded, after which an endpoint is disabled. */
export const failingLimitMillis = 5 * 24 * hour

/**
 * Milliseconds until the next attempt after a failed attempt; undefined if it was the last one. `retryAfter` is in seconds:
 * the delay is never shorter.
 */
export const retryDelay = (attempt: number, random: number, retryAfter = 0): number | undefined => {
  const delay = backoff(deliverySchedule, attempt, random)
  return delay === undefined ? undefined : Math.max(delay, Math.min(retryAfter * second, longestRetryAfterMillis))
}
