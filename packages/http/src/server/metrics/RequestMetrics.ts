import { catalogue, type PetstoreError } from "@petstore/core/domain"
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { Scheme } from "../HttpRequest.ts"
import type { Route } from "../routes/Route.ts"

/** Upper bounds of the buckets, in seconds. */
const durations: ReadonlyArray<number> = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30
]

const requests = Metric.counter("petstore_http_requests_total", {
  description: "Requests by operation or page, and status; operation none for those without one",
  incremental: true
})

const duration = Metric.histogram("petstore_http_request_duration_seconds", {
  description: "Time from the beginning of the handling of a request to its response",
  boundaries: durations
})

const limited = Metric.counter("petstore_http_limited_requests_total", {
  description: "Requests that were rejected by a limit: rate_limited, overloaded, too_many_streams",
  incremental: true
})

/** The error codes of requests that a limit rejects. */
const limitCodes: ReadonlySet<string> = new Set(["rate_limited", "overloaded", "too_many_streams"])

/** The status that metrics show for a request whose client did not wait for the response. */
export const clientClosedRequest = 499

/** The operation or page that requests are counted of, and the statuses of its successes. */
type Counted = Pick<Route, "name" | "successes">

/** Requests without an operation or page: only OPTIONS succeeds. */
const none: Counted = { name: "none", successes: [204] }

/** Reports 0 of what has not happened yet: Prometheus sees no increase in a series that begins with its first event. */
const reportZeros = (context: Context.Context<never>, routes: Iterable<Counted>): void => {
  const zero = (counter: Metric.Counter<number>, labels: Readonly<Record<string, string>>) =>
    Metric.withAttributes(counter, labels).updateUnsafe(0, context)
  const errors = new Set([...Object.values(catalogue).map(({ status }) => status), clientClosedRequest])
  for (const { name: operation, successes } of [...routes, none]) {
    for (const any of [...successes, ...errors]) zero(requests, { operation, status: String(any) })
  }
  for (const limit of limitCodes) zero(limited, { limit })
}

/** What a server reports about itself. */
interface ServerGauges {
  /** Operations that are being handled. */
  readonly inFlight: () => number
  /** Requests that wait for their turn of the event loop; 0 if another server queues them. */
  readonly waiting: () => number
  /** Streams of events that are open. */
  readonly streams: () => number
}

/** The metrics of one operation and status. */
interface StatusMetrics {
  readonly count: Metric.Counter<number>
  readonly duration: Metric.Histogram<number>
}

/** The metrics of one operation, called by one scheme. */
class OperationMetrics {
  private readonly operation: string
  private readonly scheme: Scheme
  private readonly byStatus = new Map<number, StatusMetrics>()

  constructor(operation: string, scheme: Scheme) {
    this.operation = operation
    this.scheme = scheme
  }

  record(status: number, seconds: number, context: Context.Context<never>): void {
    let metrics = this.byStatus.get(status)
    if (metrics === undefined) {
      const labels = { operation: this.operation, status: String(status) }
      metrics = {
        count: Metric.withAttributes(requests, labels),
        duration: Metric.withAttributes(duration, { ...labels, scheme: this.scheme })
      }
      this.byStatus.set(status, metrics)
    }
    metrics.count.updateUnsafe(1, context)
    metrics.duration.updateUnsafe(seconds, context)
  }
}

/**
 * Measures the requests of a server, as metrics of Effect. Labels have few values: operations and statuses of the API, never
 * paths, addresses or users.
 */
export class RequestMetrics {
  private readonly context: Context.Context<never>
  private readonly byScheme = new Map<Scheme, Map<string, OperationMetrics>>()
  private readonly routes: Iterable<Counted>
  private readonly gauges: ReadonlyArray<Metric.Registration>

  /** `scheme`: that of the first requests, as far as is known. */
  constructor(
    context: Context.Context<never>,
    { inFlight, streams, waiting }: ServerGauges,
    routes: Iterable<Counted>,
    scheme: Scheme
  ) {
    this.context = context
    this.routes = routes
    reportZeros(context, routes)
    this.begin(scheme)
    const gauge = (name: string, description: string, read: () => number) =>
      Metric.registerUnsafe(Metric.gauge(name, { description }), context, {
        get: () => ({ value: read() }),
        update: () => {},
        modify: () => {}
      })
    this.gauges = [
      gauge("petstore_http_requests_in_flight", "Operations that are being handled", inFlight),
      gauge("petstore_http_requests_waiting", "Requests that wait for their turn of the event loop", waiting),
      gauge("petstore_http_event_streams", "Streams of events that are open", streams)
    ]
  }

  /** Records a response. `began`: when its handling began, as `performance.now()`. */
  responded(operation: string, status: number, scheme: Scheme, began: number): void {
    const byOperation = this.byScheme.get(scheme) ?? this.begin(scheme)
    let metrics = byOperation.get(operation)
    if (metrics === undefined) {
      metrics = new OperationMetrics(operation, scheme)
      byOperation.set(operation, metrics)
    }
    metrics.record(status, (performance.now() - began) / 1_000, this.context)
  }

  /**
   * Begins with the requests that come by a scheme: durations of successes are reported from then on. Those of all statuses would be 30,000
   * lines.
   */
  private begin(scheme: Scheme): Map<string, OperationMetrics> {
    const byOperation = new Map<string, OperationMetrics>()
    this.byScheme.set(scheme, byOperation)
    for (const { name: operation, successes } of this.routes)
      Metric.withAttributes(duration, { operation, status: String(successes[0]), scheme }).valueUnsafe(this.context)
    return byOperation
  }

  /** Records an error that a client receives, if a limit is the reason. */
  failed({ code }: PetstoreError): void {
    if (limitCodes.has(code)) Metric.withAttributes(limited, { limit: code }).updateUnsafe(1, this.context)
  }

  /** Stops reporting on the server. What was counted stays. */
  close(): void {
    for (const registration of this.gauges) registration.remove()
  }
}
