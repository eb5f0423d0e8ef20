import * as Effect from "effect/Effect"
import { plusMillis } from "../../domain/Timestamp.ts"
import type { Webhook } from "../../domain/Webhook.ts"
import type { DeliveryRows } from "../../ports/DeliveryRows.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { WebhookRecord, WebhookRows } from "../../ports/WebhookRows.ts"

/** The endpoint that needs the oldest event, and the position before that event. */
export interface WebhookPosition {
  readonly webhook: number
  readonly position: number
}

const pageSize = 100

/** Milliseconds that a disabled endpoint keeps the events that it has not got, so that it can be enabled again. */
const keptForDisabled = 7 * 24 * 60 * 60_000

const holds = ({ disabledAt, enabled }: Webhook, now: string): boolean =>
  enabled || (disabledAt !== undefined && plusMillis(disabledAt, keptForDisabled) > now)

/**
 * The endpoint that needs the oldest of the `limit` events after a position, or none of them: it has a pending delivery of the
 * event, or its deliveries are not made up to there. Undefined if no endpoint keeps events.
 */
export const webhookHolder = Effect.fnUntraced(function* (
  { deliveries, webhooks }: { readonly deliveries: DeliveryRows; readonly webhooks: WebhookRows },
  after: number,
  limit: number,
  now: string
): Effect.fn.Return<WebhookPosition | undefined, StorageError> {
  /** The position before the first event of which a delivery is pending. */
  const pendingAfter = Effect.fnUntraced(function* (webhookId: number) {
    const [oldest] = yield* deliveries.list({ webhookId, status: "pending", after: 0, limit: 1 })
    // Usually nothing is pending: to find that out must be cheap.
    if (oldest === undefined) return Number.POSITIVE_INFINITY
    const found = yield* deliveries.ofEvents(webhookId, after, limit)
    const first = found.find(({ delivery }) => delivery.status === "pending") ?? oldest
    return first.delivery.seq > after ? first.delivery.seq - 1 : Number.POSITIVE_INFINITY
  })

  let lowest: WebhookPosition | undefined
  let page: ReadonlyArray<WebhookRecord> = yield* webhooks.list(0, pageSize)
  while (page.length > 0) {
    for (const { route, webhook } of page) {
      if (!holds(webhook, now)) continue
      const position = Math.min(route.after, yield* pendingAfter(webhook.id))
      if (lowest === undefined || position < lowest.position) lowest = { webhook: webhook.id, position }
    }
    page = yield* webhooks.list(page.at(-1)?.webhook.id ?? Number.POSITIVE_INFINITY, pageSize)
  }
  return lowest
})
