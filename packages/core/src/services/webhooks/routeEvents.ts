import * as Effect from "effect/Effect"
import type { Event } from "../../domain/Event.ts"
import { getsEvent, routeAfter, type WebhookRoute } from "../../domain/Webhook.ts"
import type { NewDelivery } from "../../ports/DeliveryRows.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { Transaction } from "../../ports/Transaction.ts"
import { Queue } from "./Queue.ts"

/** What routing did: where it stands now, and how many deliveries it made. Undefined if the endpoint is deleted. */
export interface Routed {
  readonly route: WebhookRoute
  readonly made: number
}

/**
 * Makes one delivery of each event that an endpoint gets, by the state that it had before the event, and moves its route
 * to `through`; a part of a transaction, so that no event is left out and none is delivered twice. The events are those between
 * `from` and `through`, except for some that the endpoint does not get. Does nothing if its route is not at `from`, because
 * another process was first.
 */
export const routeEvents = Effect.fnUntraced(function* (
  { deliveries, webhooks }: Pick<Storage["Service"], "deliveries" | "webhooks">,
  webhookId: number,
  { from, through }: { readonly from: number; readonly through: number },
  events: ReadonlyArray<Event>,
  now: string
): Effect.fn.Return<Routed | undefined, StorageError, Transaction> {
  const record = yield* webhooks.lock(webhookId)
  if (record === undefined) return undefined
  let { route } = record
  if (route.after !== from) return { route, made: 0 }
  const queue = new Queue(deliveries, record.webhook)
  const added: Array<NewDelivery> = []
  for (const event of events) {
    if (getsEvent(route, webhookId, event)) {
      const { id: eventId, seq, subject, type } = event
      const due = (yield* queue.isFirst(subject)) ? { nextAttemptAt: now } : {}
      added.push({ webhookId, seq, eventId, type, subject, createdAt: now, ...due })
    }
    route = routeAfter(route, webhookId, event)
  }
  if (route.after < through) route = { ...route, after: through }
  yield* deliveries.insertAll(added)
  yield* webhooks.save({ ...record, route })
  return { route, made: added.length }
})
