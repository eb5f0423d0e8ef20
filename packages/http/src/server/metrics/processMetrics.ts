import perfHooks from "node:perf_hooks"
import packageJson from "@petstore/http/package.json" with { type: "json" }
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import * as Version from "effect/Version"

/** How often the delay of the event loop is sampled, in milliseconds. */
const resolution = 10

const ignored = { update: () => {}, modify: () => {} }

/** The delay of the event loop: how much later than planned a timer fires. */
const eventLoopDelay = (context: Context.Context<never>): (() => void) => {
  const monitor = perfHooks.monitorEventLoopDelay({ resolution })
  monitor.enable()
  // The samples contain the time between them. In nanoseconds.
  const seconds = (sample: number): number => Math.max(0, sample / 1e6 - resolution) / 1_000
  const quantiles = [0.5, 0.9, 0.99]
  let count = 0
  let sum = 0
  const description = "How much later than planned a timer fires; the quantiles since the metrics were last read"
  const options = { description, quantiles: [...quantiles, 1], maxAge: "1 minute", maxSize: 0 } as const
  const registration = Metric.registerUnsafe(Metric.summary("petstore_event_loop_delay_seconds", options), context, {
    get: () => {
      const samples = monitor.count
      const max = samples === 0 ? 0 : seconds(monitor.max)
      const values = quantiles.map((quantile): [number, number] => [
        quantile,
        samples === 0 ? 0 : seconds(monitor.percentile(quantile * 100))
      ])
      count += samples
      if (samples > 0) sum += seconds(monitor.mean) * samples
      monitor.reset()
      return { quantiles: [...values, [1, max] as const], count, sum, min: 0, max }
    },
    ...ignored
  })
  return () => {
    registration.remove()
    monitor.disable()
  }
}

/** Reports on this process as metrics of Effect. The result ends that. */
export const reportProcess = (context: Context.Context<never>): (() => void) => {
  const gauge = (name: string, description: string, read: () => number, attributes = {}) =>
    Metric.registerUnsafe(Metric.gauge(name, { description, attributes }), context, {
      get: () => ({ value: read() }),
      ...ignored
    })
  const versions = { version: packageJson.version, effect: Version.getCurrentVersion(), node: process.versions.node }
  const registrations = [
    gauge("petstore_build_info", "Versions of the server, of Effect and of Node.js; always 1", () => 1, versions),
    gauge("petstore_process_resident_memory_bytes", "Memory of the process", () => process.memoryUsage.rss()),
    gauge("petstore_process_heap_used_bytes", "Memory of JavaScript objects", () => process.memoryUsage().heapUsed),
    Metric.registerUnsafe(
      Metric.counter("petstore_process_cpu_seconds_total", {
        description: "Processor time of the process",
        incremental: true
      }),
      context,
      {
        get: () => {
          const { system, user } = process.cpuUsage()
          return { count: (user + system) / 1e6, incremental: true }
        },
        ...ignored
      }
    )
  ]
  const endDelay = eventLoopDelay(context)
  return () => {
    for (const registration of registrations) registration.remove()
    endDelay()
  }
}
