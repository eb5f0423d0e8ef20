import {
  CommitUnknown,
  IncompleteRequest,
  InternalError,
  MethodNotAllowed,
  Overloaded,
  PetstoreError,
  RequestTimeout,
  ShuttingDown,
  valuesOf
} from "@petstore/core/domain"
import { askNext, Hasher } from "@petstore/core/ports"
import type { Runtime } from "@petstore/core/runtime"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Tracer from "effect/Tracer"
import type { HttpRequest } from "./HttpRequest.ts"
import type { HttpResponse } from "./HttpResponse.ts"
import { PendingRequests } from "./limits/PendingRequests.ts"
import { bytesPerResponse, type ResponseThrottle } from "./limits/ResponseThrottle.ts"
import { strangers, WorkShares } from "./limits/WorkShares.ts"
import { reportProcess } from "./metrics/processMetrics.ts"
import { clientClosedRequest, RequestMetrics } from "./metrics/RequestMetrics.ts"
import { type AccessLogEntry, type HandlerOptions, handlerOptions } from "./options.ts"
import { RequestContext, RequestIds } from "./RequestContext.ts"
import { afterUnusedBody } from "./request/body.ts"
import { TrustedProxies } from "./request/TrustedProxies.ts"
import { Cors } from "./response/Cors.ts"
import { bearerChallenge, type Challenge, errorResponse, sessionChallenge } from "./response/errorResponse.ts"
import type { Route } from "./routes/Route.ts"
import { RouteTable } from "./routes/RouteTable.ts"
import { RequestTracer } from "./tracing/RequestTracer.ts"
import { UnavailableLog } from "./UnavailableLog.ts"

/** Rejections that cost a client nothing to provoke, even with a valid key. */
const cheapRefusals: ReadonlySet<number> = new Set([401, 403, 429])

const nothing = (): void => {}

/** Handles the requests of the REST API, whether they come by node:http or by the Fetch standard. */
export class RequestHandler {
  private readonly routes: RouteTable
  private readonly requestIds: RequestIds
  private readonly cors: Cors | undefined
  private readonly challenge: Challenge
  private readonly bodyLimit: number
  /** Of all clients: a connection holds few places, and busy writers mostly share one key, so that a share for each would gain nothing. */
  private readonly waitingLimit: number
  private readonly drainTimeout: Duration.Duration
  private readonly pending: PendingRequests
  /** Undefined if nothing is measured. */
  private readonly metrics: RequestMetrics | undefined
  private readonly endReports: () => void
  private readonly runtime: Context.Context<Runtime>
  private readonly unavailable: UnavailableLog
  /** Undefined if nothing is traced. */
  private readonly tracer: RequestTracer | undefined
  /** Undefined if accesses are not logged. */
  private readonly accessLog: ((entry: AccessLogEntry) => void) | undefined
  private readonly proxies: TrustedProxies
  /** Undefined if the server in front of it limits the responses to clients without valid credentials. */
  private readonly pages: ResponseThrottle | undefined
  private isClosing = false
  /** How many operations have begun, and have no response yet. */
  private running = 0
  /** How much each caller takes of the event loop. */
  readonly shares = new WorkShares()
  /** Returns how many requests wait before they reach the handler; the server in front of it sets this. */
  waiting: () => number = () => 0

  /**
   * Throws a TypeError for invalid options. `measures`: whether it measures its requests and the process. `pages`: limits the rate of large
   * responses to clients without valid credentials.
   */
  constructor(
    runtime: Context.Context<Runtime>,
    options: HandlerOptions = {},
    measures = options.metrics === true || RequestTracer.of(runtime) !== undefined,
    pages?: ResponseThrottle
  ) {
    const { bodyLimit, drainTimeout, requestTimeout, trustProxy, waitingLimit } = valuesOf(handlerOptions, options)
    this.runtime = runtime
    this.pages = pages
    this.proxies = new TrustedProxies(trustProxy)
    this.tracer = RequestTracer.of(runtime, this.proxies)
    this.accessLog = options.accessLog?.bind(options)
    this.requestIds = new RequestIds(Context.get(runtime, Hasher).randomBytes)
    this.cors = options.cors === undefined ? undefined : new Cors(options.cors)
    this.challenge = options.authenticate === undefined ? bearerChallenge : sessionChallenge
    this.bodyLimit = bodyLimit
    this.waitingLimit = waitingLimit
    this.drainTimeout = Duration.fromInputUnsafe(drainTimeout)
    const timeout = Duration.toMillis(requestTimeout)
    const clock = Context.get(runtime, Clock.Clock)
    this.unavailable = new UnavailableLog(clock)
    this.pending = new PendingRequests(clock, timeout, Effect.runForkWith(runtime))
    this.routes = new RouteTable(runtime, options, () => this.isClosing, this.shares)
    this.metrics = measures
      ? new RequestMetrics(
          runtime,
          {
            inFlight: () => this.running,
            waiting: () => this.waiting(),
            streams: () => this.routes.openStreams
          },
          this.routes.all,
          trustProxy > 0 ? "https" : "http"
        )
      : undefined
    this.endReports = measures ? reportProcess(runtime) : () => {}
  }

  /** Handles a request, and responds to it now or later. */
  handle(request: HttpRequest): void {
    try {
      this.begin(request)
    } catch (cause) {
      this.abandon(request, cause)
    }
  }

  /** Ends a request without a response, because one of its objects has thrown: those of a host application may do anything. */
  readonly abandon = (request: Pick<HttpRequest, "abort">, cause: unknown): void => {
    Effect.runForkWith(this.runtime)(Effect.logError("A response could not be sent", cause))
    request.abort(cause)
  }

  private begin(request: HttpRequest): void {
    const context = this.contextOf(request)
    const route = this.routes.find(context)
    if (this.metrics !== undefined || this.accessLog !== undefined) context.began = performance.now()
    if (route instanceof PetstoreError) {
      const isOptions = route instanceof MethodNotAllowed && request.method === "OPTIONS"
      this.respond(
        context,
        isOptions ? this.optionsResponse(context, route.details.allow) : this.errorResponse(route, context)
      )
      return
    }
    context.operation = route.name
    route.addHeaders?.(context)
    const refusal = route.kind === "operation" ? this.refuseOperation() : undefined
    if (refusal !== undefined) this.respond(context, this.errorResponse(refusal, context))
    else this.start(context, route)
  }

  /** Responds with an error to a malformed request. No further request is taken from its connection. */
  reject(request: HttpRequest, error: PetstoreError): void {
    const context = this.contextOf(request)
    context.began = performance.now()
    this.metrics?.responded("none", error.status, this.proxies.schemeOf(request), context.began)
    request.respond(this.errorResponse(error, context), true, context.client)
    if (this.accessLog !== undefined) this.logAccess(this.accessLog, context, error.status)
  }

  /** Authenticates the callers of open streams again, and ends the streams of those who are refused or have other scopes. */
  get checkStreams(): Effect.Effect<void> {
    return this.routes.checkStreams
  }

  /** Makes the response to bytes that are not a request. */
  responseWithoutRequest(error: PetstoreError): HttpResponse<string> {
    return errorResponse(error, ["X-Request-Id", this.requestIds.next()], this.routes.paths.docs)
  }

  /** Whether this is the target of a health check. */
  isProbe(target?: string): boolean {
    return this.routes.isProbe(target)
  }

  /** Whether operations are running. */
  get isBusy(): boolean {
    return this.running > 0
  }

  /** Whether as many requests wait as may. */
  get isCrowded(): boolean {
    return this.running + this.waiting() >= this.waitingLimit
  }

  /**
   * Rejects new requests, and completes when those that have begun have their responses. Cancels those whose transaction has
   * not begun by `drainTimeout`.
   */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.isClosing = true
    this.routes.closeStreams()
    const drained = Effect.timeoutOption(this.pending.empty, this.drainTimeout)
    return Effect.flatMap(drained, (done) => {
      if (Option.isSome(done)) return Effect.void
      this.pending.expireAll()
      return Effect.asVoid(drained)
    })
  }).pipe(
    Effect.andThen(
      Effect.sync(() => {
        this.pages?.sendAll()
        this.metrics?.close()
        this.endReports()
      })
    )
  )

  private contextOf(request: HttpRequest): RequestContext {
    const id = this.requestIds.next(request.givenId ?? request.header("x-request-id"))
    const context = new RequestContext(request, id, this.runtime, this.shares)
    this.cors?.addHeaders(context)
    return context
  }

  private refuseOperation(): ShuttingDown | Overloaded | undefined {
    if (this.isClosing) return new ShuttingDown({})
    return this.running >= this.waitingLimit ? new Overloaded({}) : undefined
  }

  private start(context: RequestContext, route: Route): void {
    if (route.kind === "probe") context.client = "probe"
    if (this.tracer !== undefined && route.kind === "operation") {
      context.span = this.tracer.start(context, route)
      if (context.span !== undefined) context.services = Context.add(this.runtime, Tracer.ParentSpan, context.span)
    }
    this.shares.measure(
      () => this.run(context, route),
      () => context.callerId
    )
  }

  /** Runs a route for a request whose headers have come: without a fiber, unless it waits for more than its body and its commit. */
  private run(context: RequestContext, route: Route): void {
    let isDone = false
    const begin =
      route.kind === "operation" || !context.request.hasBody
        ? route.run
        : () => afterUnusedBody(context, this.bodyLimit, () => route.run(context))
    const cancel = askNext(begin, context, (exit) => {
      isDone = true
      this.end(context, route, exit)
    })
    // What is checked later, for example for a stream, is checked anew.
    context.arrival = undefined
    if (!isDone) this.wait(context, route, cancel)
  }

  private wait(context: RequestContext, { kind }: Route, cancel: () => void): void {
    context.isWaiting = true
    context.interrupt = cancel
    this.pending.add(context)
    if (kind === "operation") this.running++
    context.request.onDisconnect(() => context.disconnect())
  }

  private end(context: RequestContext, route: Route, exit: Exit.Exit<HttpResponse, PetstoreError>): void {
    const respond = (): void => {
      try {
        this.respond(context, this.responseOf(exit, context, route))
      } catch (cause) {
        this.abandon(context.request, cause)
      }
    }
    if (!context.isWaiting) {
      respond()
      return
    }
    context.isWaiting = false
    context.interrupt = nothing
    if (route.kind === "operation") this.running--
    this.pending.delete(context)
    this.shares.measure(respond, () => context.callerId)
  }

  private respond(context: RequestContext, response: HttpResponse): void {
    const { client, closesConnection, request } = context
    try {
      const status = context.isDisconnected ? clientClosedRequest : response.status
      this.metrics?.responded(context.operation, status, this.proxies.schemeOf(request), context.began)
      if (context.span !== undefined) this.tracer?.end(context.span, status, context.requestId)
      if (context.callerId === undefined && client === "anonymous") request.countTo?.(strangers)
      if (closesConnection) request.closeConnection()
      const isCheap = client === "authenticated" && cheapRefusals.has(response.status)
      const isLast = this.isClosing || closesConnection
      const { pages } = this
      if (pages === undefined || client !== "anonymous" || isLast || response.body.length < bytesPerResponse)
        request.respond(response, isLast, isCheap ? "anonymous" : client)
      else pages.send(response.body.length, (last) => this.respondLater(request, response, last))
      if (this.accessLog !== undefined && client !== "probe") this.logAccess(this.accessLog, context, status)
    } catch (cause) {
      response.stream?.cancel()
      this.abandon(request, cause)
    }
  }

  private respondLater(request: HttpRequest, response: HttpResponse, isLast: boolean): void {
    try {
      request.respond(response, isLast, "anonymous")
    } catch (cause) {
      this.abandon(request, cause)
    }
  }

  private logAccess(
    log: (entry: AccessLogEntry) => void,
    { actor, began, operation, path, request, requestId }: RequestContext,
    status: number
  ): void {
    const duration = performance.now() - began
    const address = this.proxies.addressOf(request)
    const fail = (error: unknown): void => {
      Effect.runForkWith(this.runtime)(Effect.logError("accessLog has thrown", error))
    }
    try {
      const entry = { method: request.method, path, status, duration, operation, requestId, address, actor }
      const returned: unknown = log(entry)
      if (Predicate.isPromiseLike(returned)) returned.then(undefined, fail)
    } catch (error) {
      fail(error)
    }
  }

  private optionsResponse(context: RequestContext, allow: ReadonlyArray<string>): HttpResponse {
    const preflight = this.cors?.preflight(context, allow)
    if (preflight !== undefined) return preflight
    context.headers.push("Allow", allow.join(", "))
    return { status: 204, headers: context.headers, body: "" }
  }

  private errorResponse(error: PetstoreError, { headers }: RequestContext): HttpResponse<string> {
    this.metrics?.failed(error)
    return errorResponse(error, headers, this.routes.paths.docs, this.challenge)
  }

  private responseOf(
    exit: Exit.Exit<HttpResponse, PetstoreError>,
    context: RequestContext,
    route: Route
  ): HttpResponse {
    if (Exit.isSuccess(exit)) {
      if (this.unavailable.isFailing && route.kind === "operation") {
        for (const entry of this.unavailable.succeeded()) Effect.runForkWith(this.runtime)(entry)
      }
      return exit.value
    }
    const error = this.errorOf(exit.cause, context)
    const isLogged = route.logsUnavailable === true && error.status === 503
    if (error.status >= 500 && !isLogged && !context.isDisconnected) this.log(error, exit.cause, context, route)
    return this.errorResponse(error, context)
  }

  private log(
    error: PetstoreError,
    cause: Cause.Cause<unknown>,
    { requestId, span }: RequestContext,
    { name }: Route
  ): void {
    const entry =
      error.status === 500
        ? Effect.logError(`${name} failed with ${error.code}`, cause)
        : this.unavailable.failed(name, error.code, cause)
    if (entry === undefined) return
    const trace = span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId }
    Effect.runForkWith(this.runtime)(Effect.annotateLogs(entry, { requestId, ...trace }))
  }

  private errorOf(cause: Cause.Cause<PetstoreError>, { phase }: RequestContext): PetstoreError {
    if (!Cause.hasInterruptsOnly(cause)) {
      const error = Cause.squash(cause)
      return error instanceof PetstoreError ? error : new InternalError({}, { cause: error })
    }
    if (phase === "admitted") return new CommitUnknown({})
    if (phase === "receivingBody") return new IncompleteRequest({})
    return this.isClosing ? new ShuttingDown({}) : new RequestTimeout({})
  }
}
