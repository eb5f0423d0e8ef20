import * as Effect from "effect/Effect"
import { limits } from "../../domain/limits.ts"
import { longestReservationMillis } from "../../domain/orders/Reservation.ts"
import { formatTimestamp, parseTimestamp } from "../../domain/Timestamp.ts"
import type { DeliveryStatus } from "../../domain/webhooks/Delivery.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { storeMillis } from "../../programs/time.ts"
import { consumers } from "../../tables/consumerTables.ts"
import { messagesBy } from "../../tables/messageTable.ts"
import { expiringOrders, ordersExpiringAfter, overdueOrders } from "../../tables/orderTable.ts"
import { deliveriesBy, endpoints, type WebhookRecord } from "../../tables/webhookTables.ts"
import type { EventStats, Events } from "../events/Events.ts"
import { type LastVerification, lastVerification } from "../verification/lastVerification.ts"
import type { ConsumerStats, MessageStats, ReservationStats, WebhookEndpointStats } from "./PetstoreStats.ts"

/** At which number counts end: to count more would take longer than operators want to wait, and tell them no more. */
const mostMessages = 10_000
const mostDeliveries = 1_000
const mostOrders = 10_000

/** How many reads of the log wait for a database at the same time. */
const concurrency = 10

/** The queues of a store, whichever process works on them. */
interface QueueStats {
  readonly log: EventStats
  readonly consumers: ReadonlyArray<ConsumerStats>
  readonly messages: Omit<MessageStats, "attempts">
  readonly reservations: ReservationStats
  readonly endpoints: ReadonlyArray<WebhookEndpointStats>
  readonly verification: LastVerification | undefined
}

/** Seconds since a time; 0 if there is none, and if it is in the future, which another clock may have written. */
const ageOf = (timestamp: string | undefined, now: number): number =>
  Math.max(0, (now - (parseTimestamp(timestamp ?? "") ?? Number.POSITIVE_INFINITY)) / 1_000)

/** What has not been delivered to an endpoint. */
const backlogOf = (storage: Storage["Service"], { webhook }: WebhookRecord) => {
  const of = (status: DeliveryStatus) => ({ webhookId: webhook.id, status, after: 0 })
  return Effect.all(
    {
      webhook: Effect.succeed(webhook),
      pending: storage.count(deliveriesBy, of("pending"), mostDeliveries),
      failed: storage.count(deliveriesBy, of("failed"), mostDeliveries),
      oldest: Effect.map(storage.select(deliveriesBy, of("pending"), 1), ([first]) => first?.delivery.createdAt)
    },
    { concurrency: "unbounded" }
  )
}

/** Reads the queues of a store. The cost does not depend on how many rows there are. */
export const queueStats = (
  storage: Storage["Service"],
  events: Events["Service"]
): Effect.Effect<QueueStats, StorageError> =>
  Effect.gen(function* () {
    const storeNow = yield* storeMillis(storage)
    const stored = yield* Effect.all(
      {
        consumers: storage.scan(consumers, [], limits.page),
        queued: storage.count(messagesBy, { status: "queued", after: "" }, mostMessages),
        failed: storage.count(messagesBy, { status: "failed", after: "" }, mostMessages),
        oldest: storage.select(messagesBy, { status: "queued", after: "" }, 1),
        overdue: storage.count(overdueOrders, formatTimestamp(storeNow), mostOrders),
        tooLong: storage.count(ordersExpiringAfter, formatTimestamp(storeNow + longestReservationMillis), mostOrders),
        expiring: storage.select(expiringOrders, undefined, 1),
        verification: lastVerification(storage),
        endpoints: Effect.flatMap(storage.select(endpoints, 0, limits.page), (records) =>
          Effect.forEach(records, (record) => backlogOf(storage, record), { concurrency })
        )
      },
      { concurrency: "unbounded" }
    )
    // Read after the consumers, so that none is ahead of it.
    const end = yield* events.stats
    const now = yield* storeMillis(storage)
    const behind = yield* Effect.forEach(
      stored.consumers,
      ({ position }) => (position < end.latest ? storage.events.scan(position, 1) : Effect.succeed([])),
      { concurrency }
    )
    return {
      log: end,
      verification: stored.verification,
      consumers: stored.consumers.map(({ name, position }, at) => ({
        name,
        position,
        lag: Math.max(0, end.latest - position),
        age: ageOf(behind[at]?.[0]?.timestamp, now)
      })),
      messages: {
        queued: stored.queued,
        failed: stored.failed,
        oldestQueued: ageOf(stored.oldest[0]?.createdAt, now)
      },
      reservations: {
        overdue: stored.overdue,
        oldestOverdue: ageOf(stored.expiring[0]?.order.expiresAt, storeNow),
        tooLong: stored.tooLong
      },
      endpoints: stored.endpoints.map(({ failed, oldest, pending, webhook }) => ({
        id: webhook.id,
        enabled: webhook.enabled,
        pending,
        failed,
        oldestPending: ageOf(oldest, now)
      }))
    }
  })
