import type { AttemptFailure, DeliveryStatus, EventType } from "@petstore/core/domain"
import type { DeliveryBacklog, DeliveryQuery, DeliveryRecord, DeliveryRows } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { IndexRange } from "./IndexRange.ts"
import type { RowTarget } from "./RowTarget.ts"
import type { Sql } from "./Sql.ts"

interface DeliveryRow {
  readonly id: number
  readonly webhook_id: number
  readonly seq: number
  readonly event_id: string
  readonly type: EventType
  readonly subject: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly created_at: string
  readonly next_attempt_at: string | null
  readonly last_attempt_at: string | null
  readonly failure: AttemptFailure | null
  readonly response_status: number | null
  readonly message: string | null
  readonly finished_at: string | null
  readonly fence: number
  readonly lease_until: string | null
}

const select = `SELECT id, webhook_id, seq, event_id, type, subject, status, attempts, created_at, next_attempt_at,
  last_attempt_at, failure, response_status, message, finished_at, fence, lease_until FROM petstore_deliveries`
const selectOne = `${select} WHERE id = ?`
const selectAll = `${select} WHERE id > ? ORDER BY id LIMIT ?`
const selectOfEvents = `${select} WHERE webhook_id = ? AND seq > ? ORDER BY seq LIMIT ?`
const isPending = "status = 'pending'"
const selectDue = `${select} INDEXED BY petstore_deliveries_due WHERE ${isPending} AND webhook_id = ?
  AND next_attempt_at <= ? ORDER BY next_attempt_at, id LIMIT ?`
const selectNextDue = `SELECT next_attempt_at FROM petstore_deliveries INDEXED BY petstore_deliveries_due WHERE ${isPending}
  AND webhook_id = ? AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at, id LIMIT 1`
const selectLeased = `SELECT count(*) AS leased FROM petstore_deliveries INDEXED BY petstore_deliveries_leased
  WHERE lease_until IS NOT NULL AND webhook_id = ? AND lease_until > ?`
const selectPendingOf = `${select} INDEXED BY petstore_deliveries_subject WHERE ${isPending} AND webhook_id = ?
  AND subject = ? ORDER BY id LIMIT ?`
const ofWebhook = (status: "pending" | "failed") =>
  `petstore_deliveries INDEXED BY petstore_deliveries_status WHERE webhook_id = w.id AND status = '${status}'`
const selectBacklogs = `SELECT id, enabled,
    (SELECT count(*) FROM (SELECT 1 FROM ${ofWebhook("pending")} LIMIT ?) AS found) AS pending,
    (SELECT count(*) FROM (SELECT 1 FROM ${ofWebhook("failed")} LIMIT ?) AS found) AS failed,
    (SELECT created_at FROM ${ofWebhook("pending")} ORDER BY petstore_deliveries.id LIMIT 1) AS oldest
  FROM petstore_webhooks AS w WHERE NOT deleted ORDER BY id LIMIT ?`
const update = `UPDATE petstore_deliveries SET status = ?, attempts = ?, next_attempt_at = ?, last_attempt_at = ?,
  failure = ?, response_status = ?, message = ?, finished_at = ?, fence = ?, lease_until = ? WHERE id = ?`
const remove = "DELETE FROM petstore_deliveries WHERE id = ?"

const target: RowTarget = {
  table: "petstore_deliveries",
  generatesIds: true,
  columns: [
    { name: "webhook_id", type: "integer" },
    { name: "seq", type: "integer" },
    { name: "event_id", type: "text" },
    { name: "type", type: "text" },
    { name: "subject", type: "text" },
    { name: "status", type: "text" },
    { name: "attempts", type: "integer" },
    { name: "created_at", type: "text" },
    { name: "next_attempt_at", type: "text" },
    { name: "fence", type: "integer" }
  ]
}

const toDelivery = (row: DeliveryRow): DeliveryRecord => ({
  delivery: {
    id: row.id,
    webhookId: row.webhook_id,
    seq: row.seq,
    eventId: row.event_id,
    type: row.type,
    subject: row.subject,
    status: row.status,
    attempts: row.attempts,
    createdAt: row.created_at,
    ...(row.next_attempt_at === null ? {} : { nextAttemptAt: row.next_attempt_at }),
    ...(row.last_attempt_at === null ? {} : { lastAttemptAt: row.last_attempt_at }),
    ...(row.failure === null ? {} : { failure: row.failure }),
    ...(row.response_status === null ? {} : { responseStatus: row.response_status }),
    ...(row.message === null ? {} : { message: row.message }),
    ...(row.finished_at === null ? {} : { finishedAt: row.finished_at })
  },
  lease: { fence: row.fence, ...(row.lease_until === null ? {} : { until: row.lease_until }) }
})

interface BacklogRow {
  readonly id: number
  readonly enabled: number | boolean
  readonly pending: number
  readonly failed: number
  readonly oldest: string | null
}

const toBacklog = ({ enabled, failed, id, oldest, pending }: BacklogRow): DeliveryBacklog => ({
  webhookId: id,
  enabled: Boolean(enabled),
  pending: Number(pending),
  failed: Number(failed),
  ...(oldest === null ? {} : { oldest })
})

/** The deliveries of an endpoint are a range for each status of an index. */
const ranges = ({ after, status, webhookId }: DeliveryQuery): ReadonlyArray<IndexRange> =>
  (status === undefined ? (["pending", "delivered", "failed"] as const) : [status]).map((one) => ({
    index: "petstore_deliveries_status",
    contains: "TRUE",
    equal: [
      ["webhook_id", webhookId],
      ["status", one]
    ],
    order: ["id"],
    after: [after]
  }))

export const deliveryRows = (sql: Sql): DeliveryRows => {
  const removeDelivery = sql.runOwn(remove)
  const saveDelivery = sql.run(update)
  const insertRows = sql.insertAll(target)
  const ofEvents = sql.all(selectOfEvents, toDelivery)
  const due = sql.all(selectDue, toDelivery)
  const backlogs = sql.all(selectBacklogs, toBacklog)
  const leased = sql.first(selectLeased, ({ leased: count }: { readonly leased: number }) => Number(count))
  return {
    find: sql.first(selectOne, toDelivery),
    list: (query) => {
      const { text, values } = sql.merge(select, ranges(query), query.limit)
      return sql.all(text, toDelivery)(...values)
    },
    ofEvents,
    scan: sql.all(selectAll, toDelivery),
    due,
    nextDue: sql.first(selectNextDue, ({ next_attempt_at }: { readonly next_attempt_at: string }) => next_attempt_at),
    leased: (webhookId, at) => Effect.map(leased(webhookId, at), (count = 0) => count),
    pending: sql.all(selectPendingOf, toDelivery),
    backlogs: (limit, most) => backlogs(most, most, limit),
    insertAll: (added) =>
      added.length === 0
        ? Effect.void
        : insertRows(
            added.map(({ createdAt, eventId, nextAttemptAt, seq, subject, type, webhookId }) => [
              webhookId,
              seq,
              eventId,
              type,
              subject,
              "pending",
              0,
              createdAt,
              nextAttemptAt,
              0
            ])
          ),
    save: ({ delivery, lease }) =>
      saveDelivery(
        delivery.status,
        delivery.attempts,
        delivery.nextAttemptAt,
        delivery.lastAttemptAt,
        delivery.failure,
        delivery.responseStatus,
        delivery.message,
        delivery.finishedAt,
        lease.fence,
        lease.until,
        delivery.id
      ),
    remove: ({ id }) => removeDelivery(id)
  }
}
