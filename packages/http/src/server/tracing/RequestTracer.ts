import type { Runtime } from "@petstore/core/runtime"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { RequestContext } from "../RequestContext.ts"
import { TrustedProxies } from "../request/TrustedProxies.ts"
import type { Route } from "../routes/Route.ts"

/** An error of a span, without a stack: the status is all that it shows. */
const faultOf = (status: number): Error => {
  const fault = new Error(`status ${status}`)
  fault.stack = fault.message
  return fault
}

/**
 * Makes a span of each operation that a server handles, named by the semantic conventions of OpenTelemetry. A `traceparent` header
 * continues the trace of the client, and decides whether it is recorded.
 */
export class RequestTracer {
  private readonly tracer: Tracer.Tracer
  private readonly clock: Clock.Clock
  private readonly proxies: TrustedProxies

  private constructor(tracer: Tracer.Tracer, clock: Clock.Clock, proxies: TrustedProxies) {
    this.tracer = tracer
    this.clock = clock
    this.proxies = proxies
  }

  /** The tracer of the program; undefined if it has none, so that nothing is traced. */
  static of(runtime: Context.Context<Runtime>, proxies = new TrustedProxies(0)): RequestTracer | undefined {
    const tracer: Tracer.Tracer | undefined = runtime.mapUnsafe.get(Tracer.Tracer.key)
    return tracer === undefined ? undefined : new RequestTracer(tracer, Context.get(runtime, Clock.Clock), proxies)
  }

  /** Begins the span of a request. */
  start({ path, request }: RequestContext, { name, template }: Route): Tracer.Span {
    const traceparent = request.header("traceparent")
    const parent =
      traceparent === undefined ? Option.none() : HttpTraceContext.w3c(Headers.fromRecordUnsafe({ traceparent }))
    const span = this.tracer.span({
      name: `${request.method} ${template ?? name}`,
      parent,
      annotations: Context.empty(),
      links: [],
      startTime: this.clock.currentTimeNanosUnsafe(),
      kind: "server",
      root: Option.isNone(parent),
      sampled: Option.isNone(parent) || parent.value.sampled
    })
    span.attribute("http.request.method", request.method)
    if (template !== undefined) span.attribute("http.route", template)
    span.attribute("url.path", path)
    span.attribute("url.scheme", this.proxies.schemeOf(request))
    const address = this.proxies.addressOf(request)
    if (address !== undefined) span.attribute("client.address", address)
    span.attribute("petstore.operation", name)
    return span
  }

  /** Ends the span of a request. An error of the client is no error of the span. */
  end(span: Tracer.Span, status: number, requestId: string): void {
    span.attribute("http.response.status_code", status)
    span.attribute("petstore.request_id", requestId)
    const now = this.clock.currentTimeNanosUnsafe()
    if (status < 500) {
      span.end(now, Exit.void)
    } else {
      span.attribute("error.type", String(status))
      span.end(now, Exit.fail(faultOf(status)))
    }
  }
}
