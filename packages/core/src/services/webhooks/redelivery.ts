import * as Effect from "effect/Effect"
import type { Redelivered, Redelivery } from "../../domain/Delivery.ts"
import { type CursorExpired, NotFound } from "../../domain/errors/RequestErrors.ts"
import { isHeld } from "../../domain/Lease.ts"
import { limits } from "../../domain/limits.ts"
import { getsEvent } from "../../domain/Webhook.ts"
import type { DeliveryRecord, NewDelivery } from "../../ports/DeliveryRows.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { Transaction } from "../../ports/Transaction.ts"
import type { WebhookRecord } from "../../ports/WebhookRows.ts"
import { requireKept } from "../EventFollower.ts"
import type { Journal } from "../Journal.ts"
import { Queue } from "./Queue.ts"

/** A delivery that starts again with its first attempt. */
const again = ({ delivery, lease }: DeliveryRecord, nextAttemptAt: string | undefined): DeliveryRecord => {
  const { finishedAt: _, nextAttemptAt: __, ...rest } = delivery
  return {
    delivery: { ...rest, status: "pending", attempts: 0, ...(nextAttemptAt === undefined ? {} : { nextAttemptAt }) },
    lease: { fence: lease.fence }
  }
}

/** Schedules deliveries of a locked endpoint again; a part of a transaction. Fails if the first event is no longer kept. */
export const redelivery = Effect.fnUntraced(function* (
  { deliveries, events }: Pick<Storage["Service"], "deliveries" | "events">,
  journal: Journal["Service"],
  { route: routed, webhook }: WebhookRecord,
  { after, deliveryId, through = limits.id }: Redelivery
): Effect.fn.Return<Redelivered, CursorExpired | NotFound | StorageError, Transaction> {
  const now = yield* journal.clockTime
  const queue = new Queue(deliveries, webhook)
  const eventsAfter = (seq: number, limit: number) =>
    Effect.flatMap(events.scan(seq, limit), (page) => requireKept(seq, page))

  const schedule = Effect.fnUntraced(function* (record: DeliveryRecord) {
    // The attempt that is being made is the one that was asked for.
    if (isHeld(record.lease, now)) return
    const isFirst = yield* queue.isFirst(record.delivery.subject, record.delivery.id)
    yield* deliveries.save(again(record, isFirst ? now : undefined))
  })

  if (deliveryId !== undefined) {
    const record = yield* deliveries.find(deliveryId)
    if (record?.delivery.webhookId !== webhook.id) return yield* NotFound.of("delivery", deliveryId)
    yield* eventsAfter(record.delivery.seq - 1, 1)
    yield* schedule(record)
    return { scheduled: 1 }
  }

  const start = after ?? 0
  const page = yield* eventsAfter(start, limits.redeliveries)
  const known = yield* deliveries.ofEvents(webhook.id, start, limits.redeliveries)
  const bySeq = new Map(known.map((record) => [record.delivery.seq, record]))
  const missed: Array<NewDelivery> = []
  const { types } = webhook
  // The deliveries of events after this one are still to be made.
  const route = { after: routed.after, enabled: true, ...(types === undefined ? {} : { types }) }
  let scheduled = 0
  for (const event of page) {
    if (event.seq > through) break
    const record = bySeq.get(event.seq)
    if (record !== undefined) yield* schedule(record)
    else if (event.seq > routed.after || !getsEvent(route, webhook.id, event)) continue
    else {
      const { id: eventId, seq, subject, type } = event
      const isFirst = yield* queue.isFirst(subject)
      const due = isFirst ? { nextAttemptAt: now } : {}
      missed.push({ webhookId: webhook.id, seq, eventId, type, subject, createdAt: now, ...due })
    }
    scheduled++
  }
  yield* deliveries.insertAll(missed)
  const last = page.at(-1)?.seq
  const isMore = page.length === limits.redeliveries && last !== undefined && last < through
  return { scheduled, ...(isMore ? { next: last } : {}) }
})
