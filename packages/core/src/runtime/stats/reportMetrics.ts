import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import { groupSizeLimits } from "../../ports/StorageActivity.ts"
import { commitSizes, type StatsMetric, type StatsSeries, statsMetrics } from "./metrics.ts"
import type { PetstoreStats } from "./PetstoreStats.ts"

/** Where the values of metrics come from. */
interface StatsSource<E> {
  /** Reads the numbers of the store. */
  readonly read: Effect.Effect<void, E>
  /** The numbers of this process now, and those of the store as they were last read. */
  readonly recent: () => PetstoreStats
}

/** How long numbers that were read from the store serve for metrics, in milliseconds. */
const maxAgeMillis = 1_000

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

/** The metrics of one petstore in a registry. */
class Report {
  private readonly recent: () => PetstoreStats
  private readonly attributes: Readonly<Record<string, string>>
  private readonly context: Context.Context<never>
  private readonly histogram: Metric.Registration
  private isRemoved = false
  private series = new Map<string, { read: StatsSeries["read"]; readonly registration: Metric.Registration }>()

  constructor(
    recent: () => PetstoreStats,
    attributes: Readonly<Record<string, string>>,
    context: Context.Context<never>
  ) {
    this.recent = recent
    this.attributes = attributes
    this.context = context
    this.histogram = this.registerSizes()
  }

  /** Registers the values that there are for these numbers, and removes those of consumers and webhooks that are gone. */
  update(stats: PetstoreStats): void {
    if (this.isRemoved) return
    const before = this.series
    const after: typeof before = new Map()
    for (const metric of statsMetrics) {
      for (const { labels, read } of metric.series(stats)) {
        const key = JSON.stringify([metric.name, labels])
        const known = before.get(key)
        if (known === undefined) after.set(key, this.register(metric, labels, read))
        else {
          known.read = read
          after.set(key, known)
          before.delete(key)
        }
      }
    }
    this.series = after
    for (const { registration } of before.values()) registration.remove()
  }

  remove(): void {
    this.isRemoved = true
    for (const { registration } of this.series.values()) registration.remove()
    this.histogram.remove()
  }

  private register({ description, name, type }: StatsMetric, labels: StatsSeries["labels"], read: StatsSeries["read"]) {
    const options = { description, attributes: { ...this.attributes, ...labels } }
    const value = (): number => series.read(this.recent())
    const series = {
      read,
      registration:
        type === "counter"
          ? Metric.registerUnsafe(Metric.counter(name, { ...options, incremental: true }), this.context, {
              get: () => ({ count: value(), incremental: true }),
              ...ignored
            })
          : Metric.registerUnsafe(Metric.gauge(name, options), this.context, {
              get: () => ({ value: value() }),
              ...ignored
            })
    }
    return series
  }

  private registerSizes(): Metric.Registration {
    const { description, name } = commitSizes
    const histogram = Metric.histogram(name, {
      description,
      attributes: this.attributes,
      boundaries: groupSizeLimits
    })
    return Metric.registerUnsafe(histogram, this.context, {
      get: () => {
        const { count, groupSizes, largest, transactions: sum } = this.recent().commits
        let below = 0
        const buckets = groupSizes.map((size): [number, number] => {
          below += size.count
          return [size.upTo, below]
        })
        return { buckets, count, sum, min: Math.min(1, count), max: largest }
      },
      ...ignored
    })
  }
}

/**
 * Makes the numbers of a petstore metrics of Effect, until the scope closes. They are computed when a program reads them. Of
 * several petstores in one program, all but the first have the label `petstore`, with a number. Returns what reads the numbers
 * of the store now.
 */
export const reportMetrics = <E>(
  storage: string,
  source: StatsSource<E>
): Effect.Effect<{ readonly refreshed: Effect.Effect<void, E> }, never, Scope.Scope> =>
  Effect.contextWith((context: Context.Context<Scope.Scope>) => {
    const services: Context.Context<never> = context
    const clock = Context.get(services, Clock.Clock)
    let isReading = false
    let readAt = Number.NEGATIVE_INFINITY

    const refreshed = (report: Report): Effect.Effect<void, E> =>
      Effect.suspend(() => {
        readAt = clock.currentTimeMillisUnsafe()
        return Effect.map(source.read, () => report.update(source.recent()))
      })

    /** Reads the store for the next values; now, if the store is read in this process. */
    const refreshOld = (report: Report): void => {
      if (isReading || Math.abs(clock.currentTimeMillisUnsafe() - readAt) < maxAgeMillis) return
      isReading = true
      const ended = Effect.sync(() => {
        isReading = false
      })
      Effect.runForkWith(services)(Effect.ensuring(Effect.ignore(refreshed(report)), ended))
    }

    const opened = Effect.sync(() => {
      const { free, number } = takeNumber(Context.get(services, Metric.MetricRegistry))
      const attributes = number === 1 ? { storage } : { storage, petstore: String(number) }
      const recent = () => {
        refreshOld(report)
        return source.recent()
      }
      const report: Report = new Report(recent, attributes, services)
      report.update(source.recent())
      return { free, report }
    })
    const closed = ({ free, report }: Effect.Success<typeof opened>) =>
      Effect.sync(() => {
        report.remove()
        free()
      })
    return Effect.map(Effect.acquireRelease(opened, closed), ({ report }) => ({ refreshed: refreshed(report) }))
  })
