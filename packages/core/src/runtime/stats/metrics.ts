import { type MessageAttempts, webhookAttemptOutcomes } from "./AttemptCounts.ts"
import type { ConsumerStats, PetstoreStats, TransactionStats, WebhookEndpointStats } from "./PetstoreStats.ts"

/** One of the values of a metric, which other labels set apart. */
export interface StatsSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly read: (stats: PetstoreStats) => number
}

/** A metric whose values are some of the {@link PetstoreStats}. */
export interface StatsMetric {
  readonly name: string
  readonly type: "counter" | "gauge"
  readonly description: string
  /** The values that it has for these numbers, and for later ones of the same consumers and webhooks. */
  readonly series: (stats: PetstoreStats) => ReadonlyArray<StatsSeries>
}

const one =
  (read: StatsSeries["read"]): StatsMetric["series"] =>
  () => [{ labels: {}, read }]

/** A value for each outcome or status. */
const by =
  <Value extends string>(
    label: "outcome" | "status",
    values: ReadonlyArray<Value>,
    counts: (stats: PetstoreStats) => Readonly<Record<Value, number>>
  ): StatsMetric["series"] =>
  () =>
    values.map((value) => ({ labels: { [label]: value }, read: (stats) => counts(stats)[value] }))

const ofConsumers =
  (read: (consumer: ConsumerStats) => number): StatsMetric["series"] =>
  ({ consumers }) =>
    consumers.map(({ name }, at) => ({
      labels: { consumer: name },
      read: ({ consumers: { [at]: consumer } }) => (consumer === undefined ? 0 : read(consumer))
    }))

const ofWebhooks =
  (read: (endpoint: WebhookEndpointStats) => number, labels: StatsSeries["labels"] = {}): StatsMetric["series"] =>
  ({ webhooks }) =>
    webhooks.endpoints.map(({ id }, at) => ({
      labels: { webhook: String(id), ...labels },
      read: ({ webhooks: { endpoints } }) => {
        const endpoint = endpoints[at]
        return endpoint === undefined ? 0 : read(endpoint)
      }
    }))

const transactionOutcomes = ["committed", "rejected", "failed"] satisfies ReadonlyArray<keyof TransactionStats>
const messageOutcomes = ["delivered", "failed"] satisfies ReadonlyArray<keyof MessageAttempts>

/** The metrics of a petstore. What {@link PetstoreStats} gains belongs here too, and in the table of docs/monitoring.md. */
export const statsMetrics: ReadonlyArray<StatsMetric> = [
  {
    name: "petstore_transactions_total",
    type: "counter",
    description: "Transactions by outcome",
    series: by("outcome", transactionOutcomes, ({ transactions }) => transactions)
  },
  {
    name: "petstore_transaction_retries_total",
    type: "counter",
    description: "How many times a transaction was tried again, because others were in its way",
    series: one(({ transactions }) => transactions.retried)
  },
  {
    name: "petstore_transactions_waiting",
    type: "gauge",
    description: "Transactions that wait for their turn",
    series: one(({ transactions }) => transactions.waiting)
  },
  {
    name: "petstore_events_earliest",
    type: "gauge",
    description: "The seq of the first event that is kept",
    series: one(({ events }) => events.earliest)
  },
  {
    name: "petstore_events_latest",
    type: "gauge",
    description: "The seq of the last event",
    series: one(({ events }) => events.latest)
  },
  {
    name: "petstore_event_subscribers",
    type: "gauge",
    description: "What follows the event log in this process: subscribers, streams, consumers, and webhooks",
    series: one(({ events }) => events.subscribers)
  },
  {
    name: "petstore_event_subscriber_lag",
    type: "gauge",
    description: "Events that the slowest subscriber has not handled yet",
    series: one(({ events }) => events.lag)
  },
  {
    name: "petstore_consumer_position",
    type: "gauge",
    description: "The seq of the last event that a consumer is done with",
    series: ofConsumers(({ position }) => position)
  },
  {
    name: "petstore_consumer_lag",
    type: "gauge",
    description: "Events that a consumer is not done with",
    series: ofConsumers(({ lag }) => lag)
  },
  {
    name: "petstore_consumer_lag_seconds",
    type: "gauge",
    description: "Seconds since the first event that a consumer is not done with",
    series: ofConsumers(({ age }) => age)
  },
  {
    name: "petstore_messages",
    type: "gauge",
    description: "Messages that are queued or have failed, counted up to 10,000",
    series: by("status", ["queued", "failed"], ({ messages }) => messages)
  },
  {
    name: "petstore_message_oldest_queued_seconds",
    type: "gauge",
    description: "Seconds that the oldest queued message has waited",
    series: one(({ messages }) => messages.oldestQueued)
  },
  {
    name: "petstore_message_attempts_total",
    type: "counter",
    description: "Attempts of a handler to deliver a message, by outcome",
    series: by("outcome", messageOutcomes, ({ messages }) => messages.attempts)
  },
  {
    name: "petstore_reservations_overdue",
    type: "gauge",
    description: "Orders that still hold units although they have expired, counted up to 10,000",
    series: one(({ reservations }) => reservations.overdue)
  },
  {
    name: "petstore_reservation_oldest_overdue_seconds",
    type: "gauge",
    description: "Seconds that the order which has been overdue for the longest still holds its units",
    series: one(({ reservations }) => reservations.oldestOverdue)
  },
  {
    name: "petstore_reservations_too_long",
    type: "gauge",
    description:
      "Orders whose reservation ends in more than 365 days, which a wrong clock has set, counted up to 10,000",
    series: one(({ reservations }) => reservations.tooLong)
  },
  {
    name: "petstore_webhook_enabled",
    type: "gauge",
    description: "Whether a webhook is enabled: 1 or 0",
    series: ofWebhooks(({ enabled }) => Number(enabled))
  },
  {
    name: "petstore_webhook_deliveries",
    type: "gauge",
    description: "Deliveries to a webhook that are pending or have failed, counted up to 1,000",
    series: (stats) => [
      ...ofWebhooks(({ pending }) => pending, { status: "pending" })(stats),
      ...ofWebhooks(({ failed }) => failed, { status: "failed" })(stats)
    ]
  },
  {
    name: "petstore_webhook_oldest_pending_seconds",
    type: "gauge",
    description: "Seconds that the oldest pending delivery to a webhook has waited",
    series: ofWebhooks(({ oldestPending }) => oldestPending)
  },
  {
    name: "petstore_webhook_attempts_total",
    type: "counter",
    description: "Attempts to deliver a webhook, by outcome",
    series: by("outcome", webhookAttemptOutcomes, ({ webhooks }) => webhooks.attempts)
  },
  {
    name: "petstore_verification_violations",
    type: "gauge",
    description: "Violations that the last recorded verification found",
    series: one(({ verification }) => verification?.violations ?? 0)
  },
  {
    name: "petstore_uptime_seconds",
    type: "gauge",
    description: "Seconds since the petstore was opened",
    series: one(({ uptime }) => uptime)
  }
]

/** The sizes of the groups of transactions that share a commit. */
export const commitSizes = {
  name: "petstore_commit_transactions",
  type: "histogram",
  description: "Commits that changed something, by the number of transactions that share one"
} as const
