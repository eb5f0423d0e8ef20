import * as Effect from "effect/Effect"
import type { EventRecord } from "../events/eventTable.ts"
import { getsEvent, newRoute, routeAfter, type WebhookRoute } from "../webhooks/Webhook.ts"
import { deliveries, type WebhookRecord, webhooks } from "../webhooks/webhookTables.ts"
import { eachIn, nextOf, sourceOf } from "./Buckets.ts"
import { DeliveryCursor } from "./DeliveryCursor.ts"
import { isRoute } from "./deliveryProblem.ts"
import { isReplayable } from "./eventRules.ts"
import { beforeAll, eachPage, eachPageOf } from "./pages.ts"
import { checkIds, type Run } from "./Run.ts"

/** Checks endpoints of webhooks with their events. */
export const verifyWebhooks = ({ buckets, log, nextNoted, report, results, store, takeFacts }: Run) => {
  const checkId = checkIds(report, "webhooks")
  const [check, checkTimes] = [report.on("webhook"), report.on("times")]
  const rows = sourceOf(store, webhooks)
  return buckets.each(
    [nextOf(rows)],
    nextNoted("webhooks"),
    Effect.fnUntraced(function* (range) {
      yield* takeFacts("webhooks", range.bucket)
      yield* eachIn(rows, range, (record) => {
        const { createdAt, disabledAt, id } = record.webhook
        checkId(id)
        checkTimes({
          row: { webhookId: id },
          times: { createdAt, disabledAt, previousUntil: record.previous?.until, failingSince: record.failingSince }
        })
        check(record)
        log.compareWebhook(record)
      })
      log.finish()
      results.finish()
    })
  )
}

/** Checks each delivery by itself, in the order of ids. */
export const verifyDeliveryRows = ({ report, store }: Run) => {
  const checkId = checkIds(report, "deliveries")
  const [check, checkTimes] = [report.on("delivery"), report.on("times")]
  return eachPageOf(store, deliveries, (page) =>
    Effect.sync(() => {
      for (const record of page) {
        const { createdAt, finishedAt, id, lastAttemptAt, nextAttemptAt } = record.delivery
        checkId(id)
        checkTimes({
          row: { deliveryId: id },
          times: { createdAt, finishedAt, lastAttemptAt, nextAttemptAt, leaseUntil: record.lease.until }
        })
        check(record)
      }
    })
  )
}

/** The route of an endpoint as it is replayed, and its deliveries in the order of events. */
interface Replay {
  readonly record: WebhookRecord
  readonly cursor: DeliveryCursor
  route: WebhookRoute | undefined
}

/**
 * Reads the log once more, beside the deliveries of each endpoint in its order: each event up to the route of an endpoint has
 * a delivery to it if it gets the event, and each delivery has its event.
 */
export const verifyDeliveries = Effect.fnUntraced(function* ({ report, store }: Run) {
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
