import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { httpReceiver, textOf } from "./receivers.ts"

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** A span as OTLP has it in JSON. */
export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: ReadonlyArray<Attribute>
  readonly status: { readonly code: number; readonly message?: string }
}

interface Traces {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<Attribute> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<OtlpSpan> }>
  }>
}

interface OtlpMetric {
  readonly name: string
  readonly histogram?: { readonly dataPoints: ReadonlyArray<{ readonly attributes: ReadonlyArray<Attribute> }> }
}

interface Metrics {
  readonly resourceMetrics: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<OtlpMetric> }>
  }>
}

/** The attributes of a span, a point of a metric or a resource, as an object. */
export const attributesOf = ({ attributes }: { readonly attributes: ReadonlyArray<Attribute> }) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** A collector of OpenTelemetry that takes JSON over HTTP, and keeps all that it gets. */
export interface OtlpCollector {
  readonly url: string
  readonly spans: () => ReadonlyArray<OtlpSpan>
  /** The attributes of the service that sends the spans. */
  readonly resource: () => Readonly<Record<string, unknown>>
  readonly metricNames: () => ReadonlySet<string>
  /** The points of a histogram in all exports. */
  readonly points: (name: string) => ReadonlyArray<{ readonly attributes: ReadonlyArray<Attribute> }>
  /** All bodies, as text. */
  readonly text: () => string
  /** The headers of the last request. */
  readonly headers: () => Readonly<Record<string, unknown>>
}

/** Starts a collector that stops with the scope. */
export const startOtlpCollector: Effect.Effect<OtlpCollector, never, Scope.Scope> = Effect.gen(function* () {
  const traces: Array<Traces> = []
  const metrics: Array<Metrics> = []
  const bodies: Array<string> = []
  let lastHeaders: Readonly<Record<string, unknown>> = {}
  const { port } = yield* httpReceiver(async (request, response) => {
    lastHeaders = request.headers
    const body = await textOf(request)
    bodies.push(body)
    if (request.url === "/v1/traces") traces.push(JSON.parse(body))
    if (request.url === "/v1/metrics") metrics.push(JSON.parse(body))
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
  const allMetrics = () =>
    metrics.flatMap(({ resourceMetrics }) =>
      resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    )
  const resources = () => traces.flatMap(({ resourceSpans }) => resourceSpans)
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () => resources().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resource: () => attributesOf(resources()[0]?.resource ?? { attributes: [] }),
    metricNames: () => new Set(allMetrics().map(({ name }) => name)),
    points: (name) =>
      allMetrics()
        .filter((metric) => metric.name === name)
        .flatMap(({ histogram }) => histogram?.dataPoints ?? []),
    text: () => bodies.join("\n"),
    headers: () => lastHeaders
  }
})
