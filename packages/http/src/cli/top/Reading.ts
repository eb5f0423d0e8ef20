import type { PetstoreStats } from "@petstore/core/effect"

/** The queues of a store, which all processes on it share. */
export interface StoreReading {
  readonly latestEvent: number
  readonly messages: { readonly queued: number; readonly failed: number; readonly oldestSeconds: number }
  readonly consumers: ReadonlyArray<{ readonly name: string; readonly lag: number; readonly oldestSeconds: number }>
  readonly webhooks: ReadonlyArray<{
    readonly id: number
    readonly enabled: boolean
    readonly pending: number
    readonly failed: number
    readonly oldestSeconds: number
  }>
}

/** What one server has done since it was started, and does now. */
export interface ServerReading {
  readonly requests: number
  /** Requests with a status of 500 and above. */
  readonly failures: number
  readonly inFlight: number
  readonly waiting: number
  readonly transactions: number
  readonly transactionsWaiting: number
  readonly commits: number
}

/** Numbers that were read at one time. */
export interface Reading {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly store: StoreReading
  /** Undefined if the database itself was read: it does not know what servers do. */
  readonly server: ServerReading | undefined
}

/** The queues in the stats of a petstore. */
export const storeReading = ({ consumers, events, messages, webhooks }: PetstoreStats): StoreReading => ({
  latestEvent: events.latest,
  messages: { queued: messages.queued, failed: messages.failed, oldestSeconds: messages.oldestQueued },
  consumers: consumers.map(({ age, lag, name }) => ({ name, lag, oldestSeconds: age })),
  webhooks: webhooks.endpoints.map(({ enabled, failed, id, oldestPending, pending }) => ({
    id,
    enabled,
    pending,
    failed,
    oldestSeconds: oldestPending
  }))
})

/** A value of a metric. */
interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const unescaped: Readonly<Record<string, string>> = { "\\n": "\n", '\\"': '"', "\\\\": "\\" }

/** The values in a text of the Prometheus format. */
const samplesOf = (text: string): ReadonlyArray<Sample> =>
  [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)/gm)].map(([, name = "", labels = "", value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/\b(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = "", content = ""]) => [
        label,
        content.replace(/\\./g, (pair) => unescaped[pair] ?? pair)
      ])
    ),
    value: Number(value)
  }))

/** The numbers in the metrics of a server; undefined if these are not the metrics of a petstore. */
export const readingOfMetrics = (text: string, at: number): Reading | undefined => {
  const samples = samplesOf(text)
  const all = (name: string) => samples.filter((sample) => sample.name === `petstore_${name}`)
  const sum = (name: string, isCounted: (labels: Sample["labels"]) => boolean = () => true): number =>
    all(name).reduce((total, { labels, value }) => (isCounted(labels) ? total + value : total), 0)
  if (all("events_latest").length === 0) return undefined
  return {
    at,
    store: {
      latestEvent: sum("events_latest"),
      messages: {
        queued: sum("messages", ({ status }) => status === "queued"),
        failed: sum("messages", ({ status }) => status === "failed"),
        oldestSeconds: sum("message_oldest_queued_seconds")
      },
      consumers: all("consumer_lag").map(({ labels: { consumer: name = "" }, value }) => ({
        name,
        lag: value,
        oldestSeconds: sum("consumer_lag_seconds", ({ consumer }) => consumer === name)
      })),
      webhooks: all("webhook_enabled").map(({ labels: { webhook: id }, value }) => ({
        id: Number(id),
        enabled: value === 1,
        pending: sum("webhook_deliveries", ({ status, webhook }) => webhook === id && status === "pending"),
        failed: sum("webhook_deliveries", ({ status, webhook }) => webhook === id && status === "failed"),
        oldestSeconds: sum("webhook_oldest_pending_seconds", ({ webhook }) => webhook === id)
      }))
    },
    server: {
      requests: sum("http_requests_total"),
      failures: sum("http_requests_total", ({ status }) => Number(status) >= 500),
      inFlight: sum("http_requests_in_flight"),
      waiting: sum("http_requests_waiting"),
      transactions: sum("transactions_total", ({ outcome }) => outcome === "committed"),
      transactionsWaiting: sum("transactions_waiting"),
      commits: sum("commit_transactions_count")
    }
  }
}
