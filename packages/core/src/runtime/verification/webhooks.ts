/** Endpoints of webhooks, and deliveries to them. */

import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { limits } from "../../domain/limits.ts"
import { AttemptFailure, DeliveryAttempt, latestAttemptsLimit, toAttempt } from "../../domain/webhooks/Delivery.ts"
import { isSealed, parseEnvelope } from "../../domain/webhooks/secrets/Envelope.ts"
import {
  getsEvent,
  isWebhookSecret,
  newRoute,
  routeAfter,
  type WebhookRoute,
  WebhookUrl
} from "../../domain/webhooks/Webhook.ts"
import { webhookUrlProblem } from "../../domain/webhooks/WebhookState.ts"
import type { Rows } from "../../ports/Rows.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { EventRecord } from "../../tables/eventTable.ts"
import {
  type DeliveryRecord,
  deliveries,
  deliveriesOfEvents,
  type WebhookRecord,
  webhooks
} from "../../tables/webhookTables.ts"
import { eachIn, nextOf, sourceOf } from "./Buckets.ts"
import { isReplayable } from "./eventRules.ts"
import { compare, type Row } from "./Finding.ts"
import { eachRowOf, type Pass, rowCheck } from "./Pass.ts"
import { beforeAll, eachPage, eachPageOf } from "./pages.ts"
import type { Rule } from "./Report.ts"
import { shownList } from "./replayedRows.ts"
import { isStoredTime } from "./storedForms.ts"

const isCount = (value: number, least: number): boolean => Number.isSafeInteger(value) && value >= least

const isFailure = (failure: string): boolean => AttemptFailure.literals.some((one) => one === failure)

const isSuccess = (status: number | undefined): boolean => status !== undefined && status >= 200 && status <= 299

const isSecret = (text: string): boolean => (isSealed(text) ? parseEnvelope(text) !== undefined : isWebhookSecret(text))

const isWrittenUrl = Schema.is(WebhookUrl)

const isUrl = (text: string): boolean =>
  isSealed(text)
    ? parseEnvelope(text) !== undefined
    : // A sender for tests may allow http.
      isWrittenUrl(text) && webhookUrlProblem(text.replace(/^http:/, "https:")) === undefined

/** Whether a value that was stored is a route. */
const isRoute = (route: unknown): boolean =>
  typeof route === "object" && route !== null && "after" in route && Number.isSafeInteger(route.after)

/** What is wrong with an endpoint in itself, in words; undefined if nothing is. */
const webhookProblem = ({
  failingSince,
  previous,
  route,
  secret,
  version,
  webhook
}: WebhookRecord): string | undefined => {
  if (!isSecret(secret) || (previous !== undefined && !isSecret(previous.secret))) return "its secret is invalid"
  if (!isUrl(webhook.url)) return "its URL is invalid"
  if (!isCount(webhook.concurrency, 1) || webhook.concurrency > limits.webhookConcurrency)
    return "its concurrency is out of range"
  if (!isCount(version, 1)) return "its version is not a positive integer"
  if (!isRoute(route)) return "its route is invalid"
  if (failingSince !== undefined && failingSince < webhook.createdAt) return "it failed before it was created"
  return undefined
}

const isAttempt = Schema.is(DeliveryAttempt)
const isList = (value: unknown): boolean => Array.isArray(value)

/** Whether attempts are whole, and the last one is that of the delivery, unless a server of an earlier release has made another since. */
const areAttempts = ({ delivery, latestAttempts: stored }: DeliveryRecord): boolean => {
  if (stored === undefined) return true
  const last = isList(stored) && stored.every(isList) ? stored.map(toAttempt).at(-1) : undefined
  return (
    last !== undefined &&
    stored.length <= latestAttemptsLimit &&
    stored.every((one) => isAttempt(toAttempt(one)) && isStoredTime(one[0])) &&
    delivery.lastAttemptAt !== undefined &&
    (last.at !== delivery.lastAttemptAt ||
      (last.failure === delivery.failure &&
        last.message === delivery.message &&
        last.responseStatus === delivery.responseStatus))
  )
}

/** What is wrong with a delivery in itself, in words; undefined if nothing is. */
const deliveryProblem = ({ delivery, lease }: DeliveryRecord): string | undefined => {
  const { attempts, failure, finishedAt, lastAttemptAt, message, nextAttemptAt, responseStatus, status } = delivery
  if (!isCount(attempts, 0) || !isCount(lease.fence, 0)) return "its attempts or its fence is not a count"
  if ((failure === undefined) !== (message === undefined))
    return "it has a failure without a message, or a message without a failure"
  if (failure !== undefined && !isFailure(failure)) return "its failure is unknown"
  if (attempts > lease.fence) return "it has more attempts than claims"
  if (attempts > 0 && lastAttemptAt === undefined) return "its last attempt has no time"
  if (lastAttemptAt === undefined && (failure !== undefined || responseStatus !== undefined))
    return "it has an outcome without an attempt"
  if (lastAttemptAt !== undefined && lease.fence === 0) return "an attempt was made without a claim"
  if (status === "pending") {
    if (finishedAt !== undefined) return "it has ended, and is pending"
    if (lease.until !== undefined && lease.until !== nextAttemptAt)
      return "its next attempt is not the end of its lease"
    return undefined
  }
  if (nextAttemptAt !== undefined || lease.until !== undefined) return "it has ended, and has a next attempt"
  if (attempts === 0 || finishedAt !== lastAttemptAt) return "it did not end with its last attempt"
  if (status === "delivered")
    return failure === undefined && isSuccess(responseStatus) ? undefined : "it was not delivered"
  return failure === undefined ? "it failed without a failure" : undefined
}

const shownRoute = ({ after, enabled, types }: WebhookRoute): Row => ({ after, enabled, types: shownList(types) })

export const webhookRules: ReadonlyArray<Rule> = [
  {
    name: "webhooks_whole",
    demands: "A webhook endpoint has a URL, a secret, and a limit of concurrent requests.",
    check: {
      webhook: (record) => {
        const problem = webhookProblem(record)
        return problem === undefined || { webhookId: record.webhook.id, problem }
      }
    }
  },
  {
    name: "webhook_routes",
    demands: "Deliveries are made up to an event that exists, by the state of the endpoint at the time of each event.",
    check: {
      route: ({ latest, replayed, stored, webhookId }) =>
        compare({ webhookId }, shownRoute(stored), shownRoute(replayed ?? newRoute(Math.min(stored.after, latest))))
    }
  },
  {
    name: "events_delivered",
    demands:
      "Once deliveries to an endpoint were made up to an event that it receives, that event has one delivery to it.",
    check: {
      routedEvent: ({ event: { seq, type }, isDelivered, webhookId }) => isDelivered || { seq, type, webhookId }
    }
  },
  {
    name: "deliveries_have_events",
    demands: "A delivery is of an event that exists, and names its id, type and subject.",
    check: {
      deliveredEvent: ({ delivery: { eventId, id: deliveryId, seq, subject, type }, event }) =>
        event === undefined
          ? { deliveryId, seq, problem: "there is no such event" }
          : compare(
              { deliveryId, seq },
              { eventId, type, subject },
              { eventId: event.id, type: event.type, subject: event.subject }
            )
    }
  },
  {
    name: "deliveries_whole",
    demands: "A delivery is pending, or it has ended with its last attempt: delivered by a response of 2xx, or failed.",
    check: {
      delivery: (record) => {
        const problem = deliveryProblem(record) ?? (areAttempts(record) ? undefined : "its latest attempts are invalid")
        return problem === undefined || { deliveryId: record.delivery.id, problem }
      }
    }
  }
]

const pageSize = 100

/** Reads the deliveries of an endpoint in the order of their events, a few at a time. */
class DeliveryCursor {
  readonly webhookId: number
  private readonly rows: Rows
  private page: ReadonlyArray<DeliveryRecord> = []
  private place = 0
  private after = beforeAll
  private isWhole = false

  constructor(rows: Rows, webhookId: number) {
    this.rows = rows
    this.webhookId = webhookId
  }

  /** The delivery that it is at; undefined before the first {@link advance} and behind the last one. */
  get next(): DeliveryRecord | undefined {
    return this.page[this.place]
  }

  /** Goes to the next delivery. */
  readonly advance: Effect.Effect<void, StorageError> = Effect.suspend(() => {
    this.place++
    if (this.isWhole || this.place < this.page.length) return Effect.void
    return Effect.map(
      this.rows.select(deliveriesOfEvents, { webhookId: this.webhookId, after: this.after }, pageSize),
      (page) => {
        this.page = page
        this.place = 0
        this.isWhole = page.length < pageSize
        this.after = page.at(-1)?.delivery.seq ?? this.after
      }
    )
  })
}

/** Checks endpoints of webhooks with their events. */
export const verifyWebhooks = ({ buckets, log, nextNoted, report, results, store, takeFacts }: Pass) => {
  const checkRow = rowCheck(report, webhooks, { id: "webhookId", ids: "webhooks" })
  const check = report.on("webhook")
  const rows = sourceOf(store, webhooks)
  return buckets.each(
    [nextOf(rows)],
    nextNoted("webhooks"),
    Effect.fnUntraced(function* (range) {
      yield* takeFacts("webhooks", range.bucket)
      yield* eachIn(rows, range, (record) => {
        checkRow(record)
        check(record)
        log.compareWebhook(record)
      })
      log.finish()
      results.finish()
    })
  )
}

/** Checks each delivery by itself, in the order of ids. */
export const verifyDeliveryRows = (pass: Pass) =>
  eachRowOf(pass, deliveries, { id: "deliveryId", ids: "deliveries" }, pass.report.on("delivery"))

/** The route of an endpoint as it is replayed, and its deliveries in the order of events. */
interface Replay {
  readonly record: WebhookRecord
  readonly cursor: DeliveryCursor
  route: WebhookRoute | undefined
}

/**
 * Reads the log once more, beside the deliveries of each endpoint in its order: each event up to the route of an endpoint has
 * a delivery to it if it receives the event, and each delivery has its event.
 */
export const verifyDeliveries = Effect.fnUntraced(function* ({ report, store }: Pass) {
  const [checkEvent, checkDelivery, checkRoute] = [
    report.on("routedEvent"),
    report.on("deliveredEvent"),
    report.on("route")
  ]
  const replays: Array<Replay> = []
  yield* eachPageOf(
    store,
    webhooks,
    Effect.fnUntraced(function* (page) {
      for (const record of page) {
        const cursor = new DeliveryCursor(store, record.webhook.id)
        yield* cursor.advance
        const known = isRoute(record.route) ? record : { ...record, route: newRoute(0) }
        replays.push({ record: known, cursor, route: undefined })
      }
    })
  )
  if (replays.length === 0) return

  let first: number | undefined
  const use = Effect.fnUntraced(function* (event: EventRecord, replay: Replay) {
    const { cursor, record } = replay
    const webhookId = record.webhook.id
    let isDelivered = false
    for (let next = cursor.next; next !== undefined && next.delivery.seq <= event.seq; next = cursor.next) {
      const isOfEvent = next.delivery.seq === event.seq
      isDelivered ||= isOfEvent
      // Events before the first one are no longer kept.
      if (isOfEvent || next.delivery.seq > (first ?? 0)) {
        checkDelivery({ delivery: next.delivery, event: isOfEvent ? event : undefined })
      }
      yield* cursor.advance
    }
    if (event.seq > record.route.after) return
    // The log before the creation of the endpoint does not matter to it.
    if (replay.route === undefined && event.subject !== `webhooks/${webhookId}`) return
    const route = replay.route ?? newRoute(event.seq)
    if (getsEvent(route, webhookId, event)) checkEvent({ event, webhookId, isDelivered })
    replay.route = isReplayable(event) ? routeAfter(route, webhookId, event) : { ...route, after: event.seq }
  })

  let latest = 0
  yield* eachPage(
    store.events.scan,
    beforeAll,
    ({ seq }) => seq,
    Effect.fnUntraced(function* (page) {
      for (const event of page) {
        first ??= event.seq
        for (const replay of replays) yield* use(event, replay)
        latest = event.seq
      }
    })
  )
  for (const { cursor, record, route } of replays) {
    for (; cursor.next !== undefined; yield* cursor.advance) {
      checkDelivery({ delivery: cursor.next.delivery, event: undefined })
    }
    // Without the creation of the endpoint, its route is not known.
    if (route === undefined && first !== undefined && first > 1) continue
    checkRoute({ webhookId: record.webhook.id, stored: record.route, replayed: route, latest })
  }
})
