import type { Lease } from "../domain/Lease.ts"
import { type Delivery, DeliveryStatus, type StoredAttempt } from "../domain/webhooks/Delivery.ts"
import type { Webhook, WebhookRoute } from "../domain/webhooks/Webhook.ts"
import { WebhookDisabledReason } from "../domain/webhooks/WebhookState.ts"
import { type Condition, columnsOf, isOneOf, query, table } from "../kernel/Table.ts"

/** An endpoint of webhooks as it is stored. */
export interface WebhookRecord {
  readonly webhook: Webhook
  readonly version: number
  /** The secret itself, because requests are signed with it. */
  readonly secret: string
  /** The secret before the last rotation, and until when requests are signed with it too. */
  readonly previous?: { readonly secret: string; readonly until: string }
  /** When the first of its failed attempts was made, since which none succeeded. */
  readonly failingSince?: string
  /** Which events it receives, by the events that deliveries have been made for so far. */
  readonly route: WebhookRoute
  /** A deleted endpoint stays in the store, so that its id is never used again. */
  readonly deleted: boolean
}

/** The delivery of an event to an endpoint as it is stored. */
export interface DeliveryRecord {
  readonly delivery: Delivery
  /** The lease of the process that makes an attempt. While it is held, `nextAttemptAt` is its end. */
  readonly lease: Lease
  /** The latest attempts, the oldest first. Absent before the first, and if an earlier release made all of them. */
  readonly latestAttempts?: ReadonlyArray<StoredAttempt>
}

const webhook = columnsOf<WebhookRecord>()
const delivery = columnsOf<DeliveryRecord>()

/** The endpoints of webhooks. Deleted ones stay. */
export const webhooks = table<WebhookRecord>("webhooks", {
  key: ["id"],
  generatesIds: true,
  columns: {
    id: webhook.integer("webhook.id"),
    url: webhook.text("webhook.url"),
    types: webhook.json("webhook.types?"),
    description: webhook.text("webhook.description?"),
    ordered: webhook.boolean("webhook.ordered"),
    concurrency: webhook.integer("webhook.concurrency"),
    enabled: webhook.boolean("webhook.enabled"),
    disabled_reason: webhook.text("webhook.disabledReason?"),
    disabled_at: webhook.time("webhook.disabledAt?"),
    created_at: webhook.time("webhook.createdAt"),
    version: webhook.integer("version"),
    secret: webhook.text("secret"),
    previous_secret: webhook.text("previous?.secret"),
    previous_until: webhook.time("previous?.until"),
    failing_since: webhook.time("failingSince?"),
    route: webhook.json("route"),
    deleted: webhook.boolean("deleted")
  },
  checks: [
    "url <> ''",
    "json_type(types) = 'array'",
    "concurrency BETWEEN 1 AND 100",
    isOneOf("disabled_reason", WebhookDisabledReason.literals),
    "enabled = (disabled_reason IS NULL)",
    "enabled = (disabled_at IS NULL)",
    "secret LIKE 'whsec_%'",
    "previous_secret LIKE 'whsec_%'",
    "(previous_until IS NULL) = (previous_secret IS NULL)",
    "json_type(route) = 'object'",
    "version >= 1"
  ],
  live: [{ column: "deleted", is: false }]
})

const rangesOfEndpoints = (after: number) => [{ after: [after] }]

/** The endpoints with ids above one. */
export const endpoints = query(webhooks, "endpoints", rangesOfEndpoints)

/** The endpoints with ids below one, the highest first. */
export const endpointsReversed = query(webhooks, "endpointsReversed", rangesOfEndpoints, { isReversed: true })

const isPending: ReadonlyArray<Condition> = [{ column: "status", is: "pending" }]

/** The deliveries to endpoints, whose locks keep them as they are: at most one of an event to an endpoint. */
export const deliveries = table<DeliveryRecord>("deliveries", {
  key: ["id"],
  generatesIds: true,
  columns: {
    id: delivery.integer("delivery.id"),
    webhook_id: delivery.integer("delivery.webhookId"),
    seq: delivery.integer("delivery.seq"),
    event_id: delivery.text("delivery.eventId"),
    type: delivery.text("delivery.type"),
    subject: delivery.text("delivery.subject"),
    status: delivery.text("delivery.status"),
    attempts: delivery.integer("delivery.attempts"),
    created_at: delivery.time("delivery.createdAt"),
    next_attempt_at: delivery.time("delivery.nextAttemptAt?"),
    last_attempt_at: delivery.time("delivery.lastAttemptAt?"),
    failure: delivery.text("delivery.failure?"),
    response_status: delivery.integer("delivery.responseStatus?"),
    message: delivery.text("delivery.message?"),
    finished_at: delivery.time("delivery.finishedAt?"),
    fence: delivery.integer("lease.fence"),
    lease_until: delivery.time("lease.until?"),
    latest_attempts: delivery.json("latestAttempts?")
  },
  checks: [
    "seq >= 1",
    isOneOf("status", DeliveryStatus.literals),
    "attempts >= 0",
    "next_attempt_at IS NULL OR status = 'pending'",
    "response_status BETWEEN 100 AND 599",
    "(finished_at IS NULL) = (status = 'pending')",
    "fence >= 0",
    "lease_until IS NULL OR status = 'pending'",
    "status <> 'delivered' OR failure IS NULL",
    "status <> 'failed' OR failure IS NOT NULL"
  ],
  fill: 80,
  references: { webhook_id: "webhooks" },
  ownerOf: ({ delivery: { webhookId } }) => ({ table: webhooks, key: webhookId }),
  indexes: {
    event: { equal: ["webhook_id"], order: ["seq"], isUnique: true },
    status: { equal: ["webhook_id", "status"], order: ["id"] },
    due: {
      equal: ["webhook_id"],
      order: ["next_attempt_at", "id"],
      where: [...isPending, { column: "next_attempt_at", isPresent: true }]
    },
    subject: { equal: ["webhook_id", "subject"], order: ["id"], where: isPending },
    state: { equal: ["status"], order: ["id"] },
    about: { equal: ["subject"], order: ["id"] },
    leased: { equal: ["webhook_id"], order: ["lease_until"], where: [{ column: "lease_until", isPresent: true }] }
  }
})

/** What queries of deliveries are about. */
export interface OfEndpoint {
  readonly webhookId: number
}

const rangesOfDeliveries = ({
  after,
  status,
  webhookId
}: OfEndpoint & { readonly status?: DeliveryStatus | undefined; readonly after: number }) =>
  (status === undefined ? (["pending", "delivered", "failed"] as const) : [status]).map((one) => ({
    index: "status",
    equal: { webhook_id: webhookId, status: one },
    after: [after]
  }))

/** The deliveries of an endpoint are a range for each status of an index. */
export const deliveriesBy = query(deliveries, "deliveriesBy", rangesOfDeliveries)

/** The same deliveries in descending id. */
export const deliveriesReversedBy = query(deliveries, "deliveriesReversedBy", rangesOfDeliveries, { isReversed: true })

const rangesOfAllDeliveries = ({
  after,
  status,
  subject
}: {
  readonly status?: DeliveryStatus | undefined
  readonly subject?: string | undefined
  readonly after: number
}) => {
  if (subject !== undefined) return [{ index: "about", equal: { subject }, after: [after] }]
  return [status === undefined ? { after: [after] } : { index: "state", equal: { status }, after: [after] }]
}

/** The deliveries to all endpoints: those about a subject, else those with a status, else all. */
export const allDeliveriesBy = query(deliveries, "allDeliveriesBy", rangesOfAllDeliveries)

/** The same deliveries in descending id. */
export const allDeliveriesReversedBy = query(deliveries, "allDeliveriesReversedBy", rangesOfAllDeliveries, {
  isReversed: true
})

/** The pending deliveries to an endpoint whose next attempt is due at a time, in the order in which they are. */
export const dueDeliveries = query(
  deliveries,
  "dueDeliveries",
  ({ at, webhookId }: OfEndpoint & { readonly at: string }) => [
    { index: "due", equal: { webhook_id: webhookId }, to: at }
  ]
)

/** The pending deliveries to an endpoint with a lease that ends after a time, and not after another one. */
export const leasedDeliveries = query(
  deliveries,
  "leasedDeliveries",
  ({ after, through, webhookId }: OfEndpoint & { readonly after: string; readonly through?: string }) => [
    { index: "leased", equal: { webhook_id: webhookId }, after: [after], to: through }
  ]
)

/** The pending deliveries to an endpoint about a subject. */
export const pendingDeliveries = query(
  deliveries,
  "pendingDeliveries",
  ({ subject, webhookId }: OfEndpoint & { readonly subject: string }) => [
    { index: "subject", equal: { webhook_id: webhookId, subject } }
  ]
)

/** The deliveries to an endpoint of the events behind a position, in the order of the events. */
export const deliveriesOfEvents = query(
  deliveries,
  "deliveriesOfEvents",
  ({ after, webhookId }: OfEndpoint & { readonly after: number }) => [
    { index: "event", equal: { webhook_id: webhookId }, after: [after] }
  ]
)
