import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import { groupSizeLimits } from "../../ports/StorageActivity.ts"
import type { PetstoreStats } from "./PetstoreStats.ts"

/** A metric whose value is one of the {@link PetstoreStats}. */
export interface StatsMetric {
  readonly name: string
  readonly type: "counter" | "gauge"
  readonly description: string
  /** Further labels, by which a metric of one name has several values. */
  readonly labels?: Readonly<Record<string, string>>
  readonly read: (stats: PetstoreStats) => number
}

const transactions = (outcome: "committed" | "rejected" | "failed"): StatsMetric => ({
  name: "petstore_transactions_total",
  type: "counter",
  description: "Transactions by outcome",
  labels: { outcome },
  read: (stats) => stats.transactions[outcome]
})

/** The metrics of an engine. What {@link PetstoreStats} gains belongs here too, and in the table of docs/operations.md. */
export const statsMetrics: ReadonlyArray<StatsMetric> = [
  transactions("committed"),
  transactions("rejected"),
  transactions("failed"),
  {
    name: "petstore_transaction_retries_total",
    type: "counter",
    description: "How many times a transaction was tried again, because others were in its way",
    read: (stats) => stats.transactions.retried
  },
  {
    name: "petstore_transactions_waiting",
    type: "gauge",
    description: "Transactions that wait for their turn",
    read: (stats) => stats.transactions.waiting
  },
  {
    name: "petstore_events_latest",
    type: "gauge",
    description: "The seq of the last event",
    read: (stats) => stats.events.latest
  },
  {
    name: "petstore_event_subscribers",
    type: "gauge",
    description: "What follows the event log in this process: subscribers, streams, consumers, and webhooks",
    read: (stats) => stats.events.subscribers
  },
  {
    name: "petstore_event_subscriber_lag",
    type: "gauge",
    description: "Events that the slowest subscriber has not handled yet",
    read: (stats) => stats.events.lag
  },
  {
    name: "petstore_consumer_lag",
    type: "gauge",
    description: "Events that the slowest consumer with a name is not done with",
    read: (stats) => stats.consumers.reduce((most, { lag }) => Math.max(most, lag), 0)
  },
  {
    name: "petstore_message_oldest_queued_seconds",
    type: "gauge",
    description: "Seconds that the oldest queued message has waited",
    read: (stats) => stats.messages.oldestQueued
  },
  {
    name: "petstore_uptime_seconds",
    type: "gauge",
    description: "Seconds since the petstore was opened",
    read: (stats) => stats.uptime
  }
]

/** The sizes of the groups of transactions that share a commit. */
export const commitSizes = {
  name: "petstore_commit_transactions",
  type: "histogram",
  description: "Commits that changed something, by the number of transactions that share one"
} as const

/** Where the values of metrics come from. */
export interface StatsSource {
  readonly read: Effect.Effect<unknown, unknown>
  /** The numbers of this process now, and those of the store as they were last read. */
  readonly recent: () => PetstoreStats
}

/** How long numbers that were read from the store serve for metrics, in milliseconds. */
const maxAge = 1_000

/** The numbers of the petstores whose metrics are in a registry. */
const numbersOf = new WeakMap<object, Set<number>>()

const takeNumber = (registry: object): { readonly number: number; readonly free: () => void } => {
  const taken = numbersOf.get(registry) ?? new Set()
  numbersOf.set(registry, taken)
  let number = 1
  while (taken.has(number)) number++
  taken.add(number)
  return { number, free: () => taken.delete(number) }
}

const ignored = { update: () => {}, modify: () => {} }

const register = (
  { recent }: Pick<StatsSource, "recent">,
  attributes: Readonly<Record<string, string>>,
  context: Context.Context<never>
): ReadonlyArray<Metric.Registration> => {
  const numbers = statsMetrics.map(({ description, labels, name, type, read }) => {
    const options = { description, attributes: { ...attributes, ...labels } }
    return type === "counter"
      ? Metric.registerUnsafe(Metric.counter(name, { ...options, incremental: true }), context, {
          get: () => ({ count: read(recent()), incremental: true }),
          ...ignored
        })
      : Metric.registerUnsafe(Metric.gauge(name, options), context, {
          get: () => ({ value: read(recent()) }),
          ...ignored
        })
  })
  const boundaries = groupSizeLimits
  const { description, name } = commitSizes
  const histogram = Metric.histogram(name, { description, attributes, boundaries })
  const sizes = Metric.registerUnsafe(histogram, context, {
    get: () => {
      const { count, groupSizes, largest, transactions: sum } = recent().commits
      let below = 0
      const buckets = groupSizes.map((size): [number, number] => {
        below += size.count
        return [size.upTo, below]
      })
      return { buckets, count, sum, min: Math.min(1, count), max: largest }
    },
    ...ignored
  })
  return [...numbers, sizes]
}

/**
 * Makes the numbers of a petstore metrics of Effect, until the scope closes. They are computed when a program reads them. Of
 * several petstores in one program, all but the first have the label `petstore`, with a number.
 */
export const reportMetrics = (storage: string, source: StatsSource): Effect.Effect<void, never, Scope.Scope> =>
  Effect.contextWith((context: Context.Context<Scope.Scope>) => {
    const services: Context.Context<never> = context
    const clock = Context.get(services, Clock.Clock)
    let isReading = false
    let readAt = Number.NEGATIVE_INFINITY

    /** Reads the store for the next values; now, if the store is read in this process. */
    const refresh = (): void => {
      const now = clock.currentTimeMillisUnsafe()
      if (isReading || Math.abs(now - readAt) < maxAge) return
      isReading = true
      readAt = now
      const ended = Effect.sync(() => {
        isReading = false
      })
      Effect.runForkWith(services)(Effect.ensuring(Effect.ignore(source.read), ended))
    }

    return Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => {
          const { free, number } = takeNumber(Context.get(services, Metric.MetricRegistry))
          const attributes = number === 1 ? { storage } : { storage, petstore: String(number) }
          const recent = () => {
            refresh()
            return source.recent()
          }
          return { free, registrations: register({ recent }, attributes, services) }
        }),
        ({ free, registrations }) =>
          Effect.sync(() => {
            for (const registration of registrations) registration.remove()
            free()
          })
      )
    )
  })
