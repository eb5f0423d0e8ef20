import { readdirSync, readFileSync } from "node:fs"
import perfHooks from "node:perf_hooks"
import packageJson from "@petstore/http/package.json" with { type: "json" }
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import * as Version from "effect/Version"

/** How often the lag of the event loop is sampled, in milliseconds. */
const resolutionMillis = 10

/** Milliseconds for which what was read last serves, so that the numbers of one scrape belong together. */
const maxAgeMillis = 1_000

const ignored = { update: () => {}, modify: () => {} }

/** The lag of the event loop in seconds: how much later than planned a timer fires. */
interface Lag {
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly stddev: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
}

const noLag: Lag = { min: 0, max: 0, mean: 0, stddev: 0, p50: 0, p90: 0, p99: 0 }

/** Measures the lag of the event loop since it was last read. */
const lagMonitor = () => {
  const monitor = perfHooks.monitorEventLoopDelay({ resolution: resolutionMillis })
  monitor.enable()
  // The samples contain the time between them. In nanoseconds.
  const seconds = (sample: number): number => Math.max(0, sample / 1e6 - resolutionMillis) / 1_000
  let readAt = Number.NEGATIVE_INFINITY
  let last = noLag
  const read = (): Lag => {
    if (performance.now() - readAt < maxAgeMillis) return last
    readAt = performance.now()
    last =
      monitor.count === 0
        ? noLag
        : {
            min: seconds(monitor.min),
            max: seconds(monitor.max),
            mean: seconds(monitor.mean),
            stddev: monitor.stddev / 1e9,
            p50: seconds(monitor.percentile(50)),
            p90: seconds(monitor.percentile(90)),
            p99: seconds(monitor.percentile(99))
          }
    monitor.reset()
    return last
  }
  return { read, end: () => monitor.disable() }
}

/** How many files and sockets the process has open, and may have; undefined where the system does not show it. */
const fileDescriptors = (): { readonly open: () => number; readonly most: number } | undefined => {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]
    // One of them is the folder itself.
    const open = (): number => readdirSync("/proc/self/fd").length - 1
    open()
    return { open, most: Number(limit ?? Number.NaN) }
  } catch {
    return undefined
  }
}

/**
 * Reports on this process as metrics of Effect, by the names that the official client of Prometheus for Node.js gives them, so that
 * dashboards for it work. The result ends that.
 */
export const reportProcess = (context: Context.Context<never>): (() => void) => {
  const gauge = (name: string, description: string, read: () => number, attributes = {}) =>
    Metric.registerUnsafe(Metric.gauge(name, { description, attributes }), context, {
      get: () => ({ value: read() }),
      ...ignored
    })
  const cpu = (name: string, description: string, read: (usage: NodeJS.CpuUsage) => number) =>
    Metric.registerUnsafe(Metric.counter(name, { description, incremental: true }), context, {
      get: () => ({ count: read(process.cpuUsage()) / 1e6, incremental: true }),
      ...ignored
    })
  const versions = { version: packageJson.version, effect: Version.getCurrentVersion(), node: process.versions.node }
  const lag = lagMonitor()
  const lagOf = (name: string, description: string, field: keyof Lag) =>
    gauge(`nodejs_eventloop_lag_${name}`, description, () => lag.read()[field])
  const files = fileDescriptors()
  const registrations = [
    gauge("petstore_build_info", "Versions of the server, of Effect and of Node.js; always 1", () => 1, versions),
    cpu("process_cpu_user_seconds_total", "Processor time of the process in its own code", ({ user }) => user),
    cpu("process_cpu_system_seconds_total", "Processor time of the process in the system", ({ system }) => system),
    cpu("process_cpu_seconds_total", "Processor time of the process", ({ system, user }) => user + system),
    gauge("process_start_time_seconds", "When the process started, in seconds since 1970", () => startedAtSeconds),
    gauge("process_resident_memory_bytes", "Memory of the process", () => process.memoryUsage.rss()),
    ...(files === undefined
      ? []
      : [
          gauge("process_open_fds", "Files and sockets that are open", files.open),
          gauge("process_max_fds", "Files and sockets that may be open", () => files.most)
        ]),
    gauge("nodejs_heap_size_used_bytes", "Memory of JavaScript objects", () => process.memoryUsage().heapUsed),
    gauge("nodejs_heap_size_total_bytes", "Memory of the heap of JavaScript", () => process.memoryUsage().heapTotal),
    gauge(
      "nodejs_external_memory_bytes",
      "Memory that objects have beside the heap",
      () => process.memoryUsage().external
    ),
    lagOf("seconds", "How much later than planned a timer fires, on average since the metrics were last read", "mean"),
    lagOf("min_seconds", "The least lag since the metrics were last read", "min"),
    lagOf("max_seconds", "The greatest lag since the metrics were last read", "max"),
    lagOf("mean_seconds", "The mean lag since the metrics were last read", "mean"),
    lagOf("stddev_seconds", "The standard deviation of the lag since the metrics were last read", "stddev"),
    lagOf("p50_seconds", "The median of the lag since the metrics were last read", "p50"),
    lagOf("p90_seconds", "The 90th percentile of the lag since the metrics were last read", "p90"),
    lagOf("p99_seconds", "The 99th percentile of the lag since the metrics were last read", "p99")
  ]
  return () => {
    for (const registration of registrations) registration.remove()
    lag.end()
  }
}

/** Seconds since 1970, the same for as long as the process runs. */
const startedAtSeconds = performance.timeOrigin / 1_000
