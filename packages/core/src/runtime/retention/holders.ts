import * as Effect from "effect/Effect"
import { plusMillis } from "../../domain/Timestamp.ts"
import type { Webhook } from "../../domain/webhooks/Webhook.ts"
import type { Rows } from "../../ports/Rows.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { consumers, parkedEventsOf } from "../../tables/consumerTables.ts"
import { deliveriesBy, deliveriesOfEvents, endpoints, type WebhookRecord } from "../../tables/webhookTables.ts"

/** The consumer that needs the oldest event, and the position before that event. */
export interface ConsumerPosition {
  readonly consumer: string
  readonly position: number
}

/** The endpoint that needs the oldest event, and the position before that event. */
export interface WebhookPosition {
  readonly webhook: number
  readonly position: number
}

const pageSize = 100

/**
 * Milliseconds that a disabled endpoint keeps the events that it has not got, so that it can be enabled again. One that does not respond is
 * disabled after five days, so it keeps an event for twelve at most.
 */
const keptForDisabledMillis = 7 * 24 * 60 * 60_000

const holds = ({ disabledAt, enabled }: Webhook, now: string): boolean =>
  enabled || (disabledAt !== undefined && plusMillis(disabledAt, keptForDisabledMillis) > now)

/**
 * The endpoint that needs the oldest of the `limit` events after a position, or none of them: it has a pending delivery of the
 * event, or its deliveries are not made up to there. Undefined if no endpoint keeps events.
 */
export const webhookHolder = Effect.fnUntraced(function* (
  rows: Rows,
  after: number,
  limit: number,
  now: string
): Effect.fn.Return<WebhookPosition | undefined, StorageError> {
  /** The position before the first event of which a delivery is pending. */
  const pendingAfter = Effect.fnUntraced(function* (webhookId: number) {
    const [oldest] = yield* rows.select(deliveriesBy, { webhookId, status: "pending", after: 0 }, 1)
    // Usually nothing is pending: to find that out must be cheap.
    if (oldest === undefined) return Number.POSITIVE_INFINITY
    const following = yield* rows.select(deliveriesOfEvents, { webhookId, after }, limit)
    const first = following.find(({ delivery }) => delivery.status === "pending") ?? oldest
    return first.delivery.seq > after ? first.delivery.seq - 1 : Number.POSITIVE_INFINITY
  })

  let lowest: WebhookPosition | undefined
  let page: ReadonlyArray<WebhookRecord> = yield* rows.select(endpoints, 0, pageSize)
  while (page.length > 0) {
    for (const { route, webhook } of page) {
      if (!holds(webhook, now)) continue
      const position = Math.min(route.after, yield* pendingAfter(webhook.id))
      if (lowest === undefined || position < lowest.position) lowest = { webhook: webhook.id, position }
    }
    page = yield* rows.select(endpoints, page.at(-1)?.webhook.id ?? Number.POSITIVE_INFINITY, pageSize)
  }
  return lowest
})

/** The consumer that needs the oldest event: one that it has not handled, or a parked one. Undefined if there are no consumers. */
export const consumerHolder = Effect.fnUntraced(function* (
  rows: Rows
): Effect.fn.Return<ConsumerPosition | undefined, StorageError> {
  let lowest: ConsumerPosition | undefined
  let page = yield* rows.scan(consumers, [], pageSize)
  while (page.length > 0) {
    for (const { name, position: handled } of page) {
      const [parked] = yield* rows.select(parkedEventsOf, { consumer: name, after: 0 }, 1)
      const position = parked === undefined ? handled : Math.min(handled, parked.seq - 1)
      if (lowest === undefined || position < lowest.position) lowest = { consumer: name, position }
    }
    page = yield* rows.scan(consumers, [page.at(-1)?.name], pageSize)
  }
  return lowest
})
