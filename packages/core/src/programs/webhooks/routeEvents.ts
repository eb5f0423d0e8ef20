import type { Event } from "../../domain/events/Event.ts"
import { unclaimed } from "../../domain/Lease.ts"
import { getsEvent, routeAfter, type WebhookRoute } from "../../domain/webhooks/Webhook.ts"
import type { Command } from "../../kernel/Command.ts"
import { type DeliveryRecord, newDeliveries, webhooks } from "../../tables/index.ts"
import type { Call } from "../Call.ts"
import { canBeDue } from "./canBeDue.ts"
import type { WebhookSecrets } from "./secrets/WebhookSecrets.ts"

/** A delivery of which no attempt was made. The store gives it an id. */
export const newDelivery = (
  webhookId: number,
  { id: eventId, seq, subject, type }: Event,
  createdAt: string,
  isDue: boolean
): DeliveryRecord => ({
  delivery: {
    id: 0,
    webhookId,
    seq,
    eventId,
    type,
    subject,
    status: "pending",
    attempts: 0,
    createdAt,
    ...(isDue ? { nextAttemptAt: createdAt } : {})
  },
  lease: unclaimed
})

/**
 * Makes one delivery of each event that an endpoint receives, by the state that it had before the event, and moves its route
 * to `through`, so that no event is left out and none is delivered twice. The events are those between `from` and `through`, except for
 * some that the endpoint does not get; those behind the end of the turn are left. Does nothing if its route is not at `from`, because
 * another process was first. Returns where the route is; undefined if the endpoint is deleted.
 */
export function* routeEvents(
  call: Call,
  secrets: WebhookSecrets["Service"],
  webhookId: number,
  { from, through }: { readonly from: number; readonly through: number },
  events: ReadonlyArray<Event>
): Command<WebhookRoute | undefined> {
  const isOver = call.turn()
  const now = call.clockTime()
  const record = yield* call.tx.lock(webhooks, webhookId)
  if (record === undefined) return undefined
  let { route } = record
  if (route.after !== from) return route
  const seen = new Set<string>()
  const added: Array<DeliveryRecord> = []
  let end = through
  for (const event of events) {
    if (added.length > 0 && isOver()) {
      end = route.after
      break
    }
    if (getsEvent(route, webhookId, event)) {
      added.push(newDelivery(webhookId, event, now, yield* canBeDue(call, record.webhook, seen, event.subject)))
    }
    route = routeAfter(route, webhookId, event)
  }
  if (route.after < end) route = { ...route, after: end }
  call.tx.append(newDeliveries, added)
  call.tx.save(webhooks, secrets.seal({ ...record, route }))
  return route
}
