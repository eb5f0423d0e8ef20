import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MetricsData } from "effect/observability/OtlpMetrics"
import { OtlpSerialization } from "effect/observability/OtlpSerialization"
import { operations, pathTemplate } from "../../api/operations.ts"

type Metric = MetricsData["resourceMetrics"][number]["scopeMetrics"][number]["metrics"][number]
type Attributes = NonNullable<Metric["gauge"]>["dataPoints"][number]["attributes"]
type Attribute = Attributes[number]

/** Where a server listens. */
export interface ServedAt {
  readonly basePath: string
  readonly host: string
  /** 0 if the system chooses one. */
  readonly port: number
}

const text = (key: string, value: string): Attribute => ({ key, value: { stringValue: value } })
const whole = (key: string, value: number): Attribute => ({ key, value: { intValue: value } })

const textOf = (attributes: Attributes, name: string): string =>
  attributes.find(({ key }) => key === name)?.value.stringValue ?? ""

/** The attributes of a request by the conventions: the labels of Prometheus are the name of its operation, its status and its scheme. */
const requestAttributes =
  ({ basePath, host, port }: ServedAt) =>
  (labels: Attributes): Attributes => {
    const name = textOf(labels, "operation")
    const status = Number(textOf(labels, "status"))
    const operation = operations.find(({ id }) => id === name)
    return [
      text("http.request.method", operation?.method ?? "_OTHER"),
      ...(operation === undefined ? [] : [text("http.route", basePath + pathTemplate(operation.path))]),
      text("url.scheme", textOf(labels, "scheme")),
      text("server.address", host),
      ...(port === 0 ? [] : [whole("server.port", port)]),
      whole("http.response.status_code", status),
      ...(status >= 500 ? [text("error.type", String(status))] : []),
      text("petstore.operation", name)
    ]
  }

/** Returns the metric with the attributes of its values changed. */
const withAttributes = (metric: Metric, change: (attributes: Attributes) => Attributes): Metric => {
  const changed = <Point extends { readonly attributes?: Attributes }>(data: {
    readonly dataPoints: ReadonlyArray<Point>
  }) => data.dataPoints.map((point) => ({ ...point, attributes: change(point.attributes ?? []) }))
  const { gauge, histogram, sum } = metric
  return {
    ...metric,
    ...(gauge === undefined ? {} : { gauge: { ...gauge, dataPoints: changed(gauge) } }),
    ...(histogram === undefined ? {} : { histogram: { ...histogram, dataPoints: changed(histogram) } }),
    ...(sum === undefined ? {} : { sum: { ...sum, dataPoints: changed(sum) } })
  }
}

/** A gauge as a sum that may fall, which the conventions ask for where values of several processes may be added. */
const asUpDownCounter = ({ gauge, ...metric }: Metric): Metric =>
  gauge === undefined
    ? metric
    : { ...metric, sum: { ...gauge, aggregationTemporality: cumulative, isMonotonic: false } }

/** The number of `AGGREGATION_TEMPORALITY_CUMULATIVE` in OTLP. */
const cumulative = 2

/** Metrics for which there is a convention, by their names for Prometheus. */
const conventions = (served: ServedAt): Readonly<Record<string, (metric: Metric) => Metric>> => ({
  petstore_http_request_duration_seconds: (metric) => ({
    ...withAttributes(metric, requestAttributes(served)),
    name: "http.server.request.duration"
  }),
  process_cpu_user_seconds_total: (metric) => ({
    ...withAttributes(metric, () => [text("cpu.mode", "user")]),
    name: "process.cpu.time"
  }),
  process_cpu_system_seconds_total: (metric) => ({
    ...withAttributes(metric, () => [text("cpu.mode", "system")]),
    name: "process.cpu.time"
  }),
  process_resident_memory_bytes: (metric) => ({ ...asUpDownCounter(metric), name: "process.memory.usage" }),
  process_open_fds: (metric) => ({
    ...asUpDownCounter(metric),
    name: "process.unix.file_descriptor.count",
    unit: "{file_descriptor}"
  }),
  ...Object.fromEntries(
    ["min", "max", "mean", "stddev", "p50", "p90", "p99"].map((part) => [
      `nodejs_eventloop_lag_${part}_seconds`,
      (metric: Metric): Metric => ({ ...metric, name: `nodejs.eventloop.delay.${part}` })
    ])
  )
})

/** What is in other metrics by the conventions. */
const redundant: ReadonlySet<string> = new Set([
  "petstore_http_requests_total",
  "process_cpu_seconds_total",
  "nodejs_eventloop_lag_seconds"
])

const unitOf = (name: string): string | undefined => {
  if (/_seconds(_total)?$/.test(name)) return "s"
  return name.endsWith("_bytes") ? "By" : undefined
}

/** Metrics of one name are one metric. */
const merged = (metrics: ReadonlyArray<Metric>): Array<Metric> => {
  const byName = new Map<string, Metric>()
  for (const metric of metrics) {
    const { name, sum } = metric
    const before = byName.get(name)
    byName.set(
      name,
      before?.sum === undefined || sum === undefined
        ? metric
        : { ...before, sum: { ...before.sum, dataPoints: [...before.sum.dataPoints, ...sum.dataPoints] } }
    )
  }
  return [...byName.values()]
}

/** The metrics with the names, units and attributes of the semantic conventions of OpenTelemetry. */
export const conventional = (metrics: ReadonlyArray<Metric>, served: ServedAt): Array<Metric> => {
  const known = conventions(served)
  return merged(
    metrics.flatMap((metric) => {
      if (redundant.has(metric.name)) return []
      const unit = unitOf(metric.name)
      const measured = unit === undefined ? metric : { ...metric, unit }
      return known[metric.name]?.(measured) ?? measured
    })
  )
}

/** Serializes metrics by the semantic conventions: those of Effect have the names that they have for Prometheus. */
export const withConventions = <E, R>(serialization: Layer.Layer<OtlpSerialization, E, R>, served: ServedAt) =>
  Layer.effect(
    OtlpSerialization,
    Effect.map(OtlpSerialization, (service) => ({
      ...service,
      metrics: ({ resourceMetrics }: MetricsData) =>
        service.metrics({
          resourceMetrics: resourceMetrics.map((resource) => ({
            ...resource,
            scopeMetrics: resource.scopeMetrics.map((scope) => ({
              ...scope,
              metrics: conventional(scope.metrics, served)
            }))
          }))
        })
    }))
  ).pipe(Layer.provide(serialization))
