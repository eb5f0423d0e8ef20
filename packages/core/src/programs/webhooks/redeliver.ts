import { type CursorExpired, NotFound } from "../../domain/errors/RequestErrors.ts"
import { isHeld } from "../../domain/Lease.ts"
import { limits } from "../../domain/limits.ts"
import type { DeliveriesRequeued, DeliveryRequeue, Redelivered, Redelivery } from "../../domain/webhooks/Delivery.ts"
import { getsEvent, type Webhook } from "../../domain/webhooks/Webhook.ts"
import { type Command, fail, orFail } from "../../kernel/Command.ts"
import {
  allDeliveriesBy,
  deliveries,
  deliveriesBy,
  deliveriesOfEvents,
  newDeliveries,
  recordedEvents,
  webhooks
} from "../../tables/index.ts"
import type { DeliveryRecord } from "../../tables/webhookTables.ts"
import type { Call } from "../Call.ts"
import { requireKept } from "../events/EventFollower.ts"
import { canBeDue } from "./canBeDue.ts"
import { newDelivery } from "./routeEvents.ts"

/** A delivery that starts again with its first attempt. */
const again = (record: DeliveryRecord, nextAttemptAt: string | undefined): DeliveryRecord => {
  const { finishedAt: _, nextAttemptAt: __, ...rest } = record.delivery
  return {
    ...record,
    delivery: { ...rest, status: "pending", attempts: 0, ...(nextAttemptAt === undefined ? {} : { nextAttemptAt }) },
    lease: { fence: record.lease.fence }
  }
}

/** Schedules a delivery to a locked endpoint again. */
function* schedule(
  call: Call,
  webhook: Webhook,
  seen: Set<string>,
  record: DeliveryRecord,
  now: string
): Command<void> {
  // The attempt that is being made is the one that was asked for.
  if (isHeld(record.lease, now)) return
  const { id, subject } = record.delivery
  const isDue = yield* canBeDue(call, webhook, seen, subject, id)
  call.tx.save(deliveries, again(record, isDue ? now : undefined))
}

/** Schedules deliveries to an endpoint again. Fails if the first event is no longer kept. */
export function* redeliver(
  call: Call,
  id: number,
  { after = 0, deliveryId, through = limits.id }: Redelivery
): Command<Redelivered, CursorExpired | NotFound> {
  const { tx } = call
  const endpoint = yield* tx.lock(webhooks, id)
  if (endpoint === undefined) return yield* fail(NotFound.of("webhook", id))
  const { route: routed, webhook } = endpoint
  const now = call.clockTime()
  const seen = new Set<string>()

  if (deliveryId !== undefined) {
    const record = yield* tx.find(deliveries, deliveryId)
    if (record?.delivery.webhookId !== id) return yield* fail(NotFound.of("delivery", deliveryId))
    const before = record.delivery.seq - 1
    yield* orFail(requireKept(before, yield* tx.scan(recordedEvents, before, 1)))
    yield* schedule(call, webhook, seen, record, now)
    return { scheduled: 1 }
  }

  const page = yield* orFail(requireKept(after, yield* tx.scan(recordedEvents, after, limits.redeliveries)))
  const known = yield* tx.all(deliveriesOfEvents, { webhookId: id, after }, limits.redeliveries)
  const bySeq = new Map(known.map((record) => [record.delivery.seq, record]))
  const missed: Array<DeliveryRecord> = []
  const { types } = webhook
  // The deliveries of events after this one are still to be made.
  const route = { after: routed.after, enabled: true, ...(types === undefined ? {} : { types }) }
  let scheduled = 0
  for (const event of page) {
    if (event.seq > through) break
    const record = bySeq.get(event.seq)
    if (record !== undefined) yield* schedule(call, webhook, seen, record, now)
    else if (event.seq > routed.after || !getsEvent(route, id, event)) continue
    else {
      missed.push(newDelivery(id, event, now, yield* canBeDue(call, webhook, seen, event.subject)))
    }
    scheduled++
  }
  tx.append(newDeliveries, missed)
  const last = page.at(-1)?.seq
  const isMore = page.length === limits.redeliveries && last !== undefined && last < through
  return { scheduled, ...(isMore ? { next: last } : {}) }
}

/** Schedules deliveries that have failed again, to all endpoints or to one. */
export function* requeueDeliveries(
  call: Call,
  { after = 0, status, webhookId }: DeliveryRequeue
): Command<DeliveriesRequeued, NotFound> {
  const { tx } = call
  const rows = yield* webhookId === undefined
    ? tx.all(allDeliveriesBy, { status, after }, limits.requeues + 1)
    : tx.all(deliveriesBy, { webhookId, status, after }, limits.requeues + 1)
  const page = rows.slice(0, limits.requeues)
  const of = new Set(webhookId === undefined ? page.map(({ delivery }) => delivery.webhookId) : [webhookId])
  const endpoints = yield* tx.lockAll(webhooks, [...of])
  if (webhookId !== undefined && !endpoints.has(webhookId)) return yield* fail(NotFound.of("webhook", webhookId))
  const [earliest] = yield* tx.scan(recordedEvents, 0, 1)
  const now = call.clockTime()
  const seen = new Map([...of].map((id) => [id, new Set<string>()]))
  let requeued = 0
  for (const { delivery } of page) {
    const endpoint = endpoints.get(delivery.webhookId)
    const record = yield* tx.find(deliveries, delivery.id)
    // Its event must still be there.
    if (endpoint === undefined || record?.delivery.status !== status || delivery.seq < (earliest?.seq ?? 0)) continue
    yield* schedule(call, endpoint.webhook, seen.get(delivery.webhookId) ?? new Set(), record, now)
    requeued++
  }
  const last = page.at(-1)
  return { requeued, ...(rows.length > page.length && last !== undefined ? { next: last.delivery.id } : {}) }
}
