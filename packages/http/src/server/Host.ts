import {
  CommitUnknown,
  IncompleteRequest,
  InternalError,
  MethodNotAllowed,
  NotFound,
  Overloaded,
  PetstoreError,
  RequestTimeout,
  ShuttingDown
} from "@petstore/core/domain"
import { Hasher } from "@petstore/core/ports"
import { ApiKeys, type Engine } from "@petstore/core/services"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { operations } from "../api/operations.ts"
import { durationOption } from "../durationOption.ts"
import type { Answer } from "./Answer.ts"
import { Authenticator, type Caller } from "./authentication/Authenticator.ts"
import { hostAuthentication } from "./authentication/hostAuthentication.ts"
import { Exchange } from "./Exchange.ts"
import { handlers } from "./Handlers.ts"
import type { Incoming } from "./Incoming.ts"
import { RateLimiter } from "./limits/RateLimiter.ts"
import { type Pending, Waiting } from "./limits/Waiting.ts"
import type { HandlerOptions } from "./Options.ts"
import { RequestIds } from "./RequestIds.ts"
import { onceArrived } from "./request/unusedBody.ts"
import { Compression } from "./response/Compression.ts"
import { Cors } from "./response/Cors.ts"
import { bearerChallenge, type Challenge, errorAnswer, sessionChallenge } from "./response/errorAnswer.ts"
import type { DeprecatedOperation } from "./routes/DeprecatedOperation.ts"
import { type OperationHost, operationRoute } from "./routes/operationRoute.ts"
import { publicPaths, refuseAmbiguousMount } from "./routes/PublicPaths.ts"
import { liveProbe, readyProbe } from "./routes/probes.ts"
import { publishedDocument } from "./routes/publishedDocument.ts"
import type { Route } from "./routes/Route.ts"
import { type Match, type Resource, Router } from "./routes/Router.ts"
import { referencePageRoutes } from "./routes/referencePage.ts"
import { rootRoute } from "./routes/rootRoute.ts"

/** Gives a request up whose client has gone. */
export type Abandon = () => void

/** The path and the query of a request target, which may be a whole URL (RFC 9112, section 3.2.2). */
const pathOf = (target: string): string =>
  target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/^(?!\/)/, "/")

/** Refusals that are cheap to provoke, with a key too. */
const refusals: ReadonlySet<number> = new Set([401, 403, 429])

/** A request that was not answered in the turn in which it came. */
class Unanswered implements Pending {
  readonly exchange: Exchange
  readonly fiber: Fiber.Fiber<Answer, PetstoreError>
  expired = false

  constructor(exchange: Exchange, fiber: Fiber.Fiber<Answer, PetstoreError>) {
    this.exchange = exchange
    this.fiber = fiber
  }

  readonly expire = (): void => {
    if (this.expired || this.exchange.phase === "admitted") return
    this.expired = true
    this.fiber.interruptUnsafe()
  }
}

/** How it is told who asks: by the host, or else by API keys. */
const authentication = (engine: Context.Context<Engine>, options: HandlerOptions): OperationHost["authenticate"] => {
  if (options.authenticate !== undefined) {
    if (options.adminKey !== undefined) {
      throw new TypeError("Set adminKey or authenticate: with both, the key is never asked for")
    }
    return hostAuthentication((request) => options.authenticate?.(request))
  }
  const authenticator = new Authenticator(Context.get(engine, ApiKeys), options.adminKey)
  return (exchange) => authenticator.authenticate(exchange.header("authorization"))
}

/** The REST API on an engine, whichever way requests come. */
export class Host {
  private readonly run: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  private readonly router: Router<Route>
  private readonly requestIds: RequestIds
  private readonly cors: Cors | undefined
  private readonly waiting: Waiting
  private readonly waitingLimit: number
  private readonly drainTimeout: Duration.Duration
  private readonly challenge: Challenge
  /** Before every path where the host does not strip it. */
  private readonly mount: string
  private closing = false
  private readonly bodyLimit: number
  /** The targets of health checks. */
  private readonly probes: ReadonlySet<string>
  /** How many of those that wait are not answered always. */
  private operating = 0

  constructor(engine: Context.Context<Engine>, options: HandlerOptions = {}) {
    const {
      basePath = "/v1",
      bodyLimit = 262_144,
      compression = true,
      drainTimeout = "10 seconds",
      mountPath = "",
      rateLimit = 60_000,
      requestTimeout = "30 seconds",
      waitingLimit = 1_024
    } = options
    const clock = Context.get(engine, Clock.Clock)
    const paths = publicPaths(mountPath, basePath)
    this.run = Effect.runForkWith(engine)
    this.requestIds = new RequestIds(Context.get(engine, Hasher).randomBytes)
    this.cors = options.cors === undefined ? undefined : new Cors(options.cors)
    this.challenge = options.authenticate === undefined ? bearerChallenge : sessionChallenge
    this.bodyLimit = bodyLimit
    this.waitingLimit = waitingLimit
    this.drainTimeout = durationOption("drainTimeout", drainTimeout)
    this.waiting = new Waiting(clock, Duration.toMillis(durationOption("requestTimeout", requestTimeout)), this.run)
    this.router = new Router()
    this.mount = paths.mount
    const host = {
      authenticate: authentication(engine, options),
      handlers: handlers(engine, { adminOutsideStore: options.adminKey !== undefined }),
      rateLimiter: rateLimit === "off" ? undefined : new RateLimiter(rateLimit, clock),
      clock,
      paths,
      bodyLimit,
      serveAfterSunset: options.serveAfterSunset ?? false,
      compression: compression ? new Compression() : undefined,
      used: (deprecated: DeprecatedOperation, callerId: Caller["id"]) => {
        deprecated.metric.updateUnsafe(1, engine)
        const warning = deprecated.warning(callerId, clock.currentTimeMillisUnsafe())
        if (warning !== undefined) this.run(Effect.logWarning(warning))
      }
    }
    for (const operation of operations) {
      this.router.add(operation.method, basePath + operation.path, operationRoute(operation, host))
    }
    refuseAmbiguousMount(paths, this.router)
    const probes = [
      ["/health/live", liveProbe],
      ["/health/ready", readyProbe(engine, () => this.closing)]
    ] as const
    for (const [path, probe] of probes) this.router.add("GET", path, probe)
    this.probes = new Set(probes.flatMap(([path]) => [path, paths.mount + path]))
    const authenticates = options.authenticate === undefined ? "apiKey" : "host"
    const published = { basePath, mountPath, authentication: authenticates } as const
    this.router.add("GET", "/openapi.json", publishedDocument("json", published, compression))
    this.router.add("GET", "/openapi.yaml", publishedDocument("yaml", published, compression))
    for (const [path, route] of referencePageRoutes(compression)) this.router.add("GET", path, route)
    const root = rootRoute(paths, authenticates)
    for (const path of new Set(["/", basePath || "/"])) this.router.add("GET", path, root)
  }

  /** Answers a request that cannot be taken for what it is. No further request is taken from its connection. */
  reject(incoming: Incoming, error: PetstoreError): void {
    const exchange = this.exchangeOf(incoming)
    incoming.answer(errorAnswer(error, exchange.headers, this.challenge), true, exchange.standing)
  }

  /** The answer to what could not even be read as a request. */
  answerTo(error: PetstoreError): Answer<string> {
    return errorAnswer(error, ["X-Request-Id", this.requestIds.next()])
  }

  /** Whether this is the target of a health check. */
  isProbe(target = ""): boolean {
    return this.probes.has(target)
  }

  /** Whether operations are being performed. */
  get isBusy(): boolean {
    return this.operating > 0
  }

  /** Answers a request; what comes back gives it up, and is undefined where it is answered already. */
  handle(incoming: Incoming): Abandon | undefined {
    const exchange = this.exchangeOf(incoming)
    const route = this.route(exchange)
    if (route instanceof PetstoreError) return this.refuse(exchange, route)
    if (route === undefined) return undefined
    route.announce?.(exchange)
    if (!route.always) {
      if (this.closing) return this.refuse(exchange, new ShuttingDown({}))
      if (this.operating >= this.waitingLimit) return this.refuse(exchange, new Overloaded({}))
    }
    return this.start(exchange, route)
  }

  /** Takes no new requests, and completes when those that have begun are answered, or given up after a while. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.closing = true
    const drained = Effect.timeoutOption(this.waiting.empty, this.drainTimeout)
    return Effect.flatMap(drained, (done) => {
      if (Option.isSome(done)) return Effect.void
      this.waiting.expireAll()
      return Effect.asVoid(drained)
    })
  })

  private exchangeOf(incoming: Incoming): Exchange {
    const exchange = new Exchange(incoming, this.requestIds.next(incoming.header("x-request-id")))
    this.cors?.allow(exchange)
    return exchange
  }

  /** The route of a request, or why there is none; undefined where the request is answered. */
  private route(exchange: Exchange): Route | PetstoreError | undefined {
    const target = pathOf(exchange.incoming.target)
    const question = target.indexOf("?")
    exchange.path = question === -1 ? target : target.slice(0, question)
    exchange.query = question === -1 ? "" : target.slice(question + 1)
    const match = this.find(exchange)
    if (match === undefined) return new NotFound({})
    exchange.values = match.values
    const { method } = exchange.incoming
    return match.resource.methods.get(method === "HEAD" ? "GET" : method) ?? this.otherMethod(exchange, match.resource)
  }

  /** What stands at the path of a request; at what is left of it without the mount, where nothing does. */
  private find(exchange: Exchange): Match<Route> | undefined {
    const { mount } = this
    const match = this.router.find(exchange.path)
    if (match !== undefined || mount === "") return match
    if (exchange.path !== mount && !exchange.path.startsWith(`${mount}/`)) return undefined
    exchange.path = exchange.path.slice(mount.length) || "/"
    return this.router.find(exchange.path)
  }

  private otherMethod(exchange: Exchange, { allow }: Resource<Route>): PetstoreError | undefined {
    if (this.cors?.isPreflight(exchange) !== true) return new MethodNotAllowed({ allow })
    this.cors.allowMethods(allow, exchange.headers)
    this.send(exchange, { status: 204, headers: exchange.headers, body: "" })
    return undefined
  }

  private refuse(exchange: Exchange, error: PetstoreError): undefined {
    this.send(exchange, errorAnswer(error, exchange.headers, this.challenge))
  }

  private send({ endsConnection, incoming, standing }: Exchange, answer: Answer): void {
    const last = this.closing || endsConnection
    incoming.answer(answer, last, standing === "caller" && refusals.has(answer.status) ? "anyone" : standing)
  }

  private start(exchange: Exchange, route: Route): Abandon | undefined {
    if (route.probe === true) exchange.standing = "probe"
    const fiber = this.run(
      Effect.suspend(() =>
        route.always ? onceArrived(exchange, this.bodyLimit, () => route.run(exchange)) : route.run(exchange)
      )
    )
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) {
      this.send(exchange, this.answerOf(exit, exchange, route))
      return undefined
    }
    const request = new Unanswered(exchange, fiber)
    this.waiting.add(request)
    const counts = route.always ? 0 : 1
    this.operating += counts
    fiber.addObserver((late) => {
      this.operating -= counts
      this.waiting.delete(request)
      this.send(exchange, this.answerOf(late, exchange, route))
    })
    return () => {
      exchange.abandoned = true
      fiber.interruptUnsafe()
    }
  }

  private answerOf(exit: Exit.Exit<Answer, PetstoreError>, exchange: Exchange, route: Route): Answer {
    if (Exit.isSuccess(exit)) return exit.value
    const error = this.errorOf(exit.cause, exchange)
    const isLogged = route.logsItself === true && error.status === 503
    if (error.status >= 500 && !isLogged && !exchange.abandoned) this.report(error, exit.cause, exchange, route)
    return errorAnswer(error, exchange.headers, this.challenge)
  }

  private report(error: PetstoreError, cause: Cause.Cause<unknown>, { requestId }: Exchange, { name }: Route): void {
    const message = `${name} answered ${error.code}`
    const entry = error.status === 500 ? Effect.logError(message, cause) : Effect.logWarning(message, cause)
    this.run(Effect.annotateLogs(entry, { requestId }))
  }

  private errorOf(cause: Cause.Cause<PetstoreError>, { phase }: Exchange): PetstoreError {
    if (!Cause.hasInterruptsOnly(cause)) {
      const error = Cause.squash(cause)
      return error instanceof PetstoreError ? error : new InternalError({}, { cause: error })
    }
    if (phase === "admitted") return new CommitUnknown({})
    if (phase === "receiving") return new IncompleteRequest({})
    return this.closing ? new ShuttingDown({}) : new RequestTimeout({})
  }
}
