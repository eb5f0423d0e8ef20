import type { PetstoreError } from "@petstore/core/domain"
import type { Engine } from "@petstore/core/services"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import type { HttpResponse } from "./HttpResponse.ts"
import { PendingRequest, type PendingRequests } from "./limits/PendingRequests.ts"
import type { WorkShares } from "./limits/WorkShares.ts"
import type { RequestContext } from "./RequestContext.ts"
import { BodyHandler, type Route } from "./routes/Route.ts"

type Outcome<A> = Exit.Exit<A, PetstoreError>

const nothing = (): void => {}

/** A request whose handling goes on after the turn of the event loop in which it came. */
class RunningRequest extends PendingRequest {
  private readonly context: RequestContext
  /** Interrupts what it waits for now. */
  interrupt: () => void
  private isExpired = false

  constructor(context: RequestContext, interrupt: () => void) {
    super()
    this.context = context
    this.interrupt = interrupt
  }

  override expire(): void {
    if (this.isExpired || this.context.phase === "admitted") return
    this.isExpired = true
    this.interrupt()
  }

  readonly cancel = (): void => {
    this.context.isDisconnected = true
    this.interrupt()
  }
}

/** Calls a function of a route. Returns its exit if it has one at once, which takes no fiber. */
const attempt = <A>(step: () => Effect.Effect<A, PetstoreError>): Effect.Effect<A, PetstoreError> => {
  try {
    return step()
  } catch (defect) {
    return Exit.die(defect)
  }
}

const isOutcome = <A>(step: Effect.Effect<A, PetstoreError>): step is Outcome<A> => Exit.isExit(step)

/** One run of a route, from the headers of a request to what becomes its response. */
class Run {
  private readonly runner: RequestRunner
  private readonly context: RequestContext
  private readonly route: Route
  /** Undefined until it waits for something. */
  private running: RunningRequest | undefined

  constructor(runner: RequestRunner, context: RequestContext, route: Route) {
    this.runner = runner
    this.context = context
    this.route = route
  }

  /** Goes on with what a fiber returns. */
  follow(fiber: Fiber.Fiber<HttpResponse | BodyHandler, PetstoreError>): void {
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) {
      this.proceed(exit)
      return
    }
    this.wait(() => fiber.interruptUnsafe())
    fiber.addObserver(this.proceed)
  }

  readonly proceed = (exit: Outcome<HttpResponse | BodyHandler>): void => {
    if (Exit.isSuccess(exit) && exit.value instanceof BodyHandler) this.receive(exit.value)
    else this.end(exit as Outcome<HttpResponse>)
  }

  /** Receives the body. No fiber waits for it: to suspend and resume one takes longer than to parse the body. */
  private receive(handler: BodyHandler): void {
    const { context } = this
    context.phase = "receivingBody"
    let isReceived = false
    try {
      const stop = context.request.receive(handler.limit, (received) => {
        isReceived = true
        if (Result.isFailure(received)) return this.end(Exit.fail(received.failure))
        context.phase = "running"
        this.runner.measure(context, () => {
          const step = attempt(() => handler.run(received.success))
          if (isOutcome(step)) this.end(step)
          else this.follow(this.runner.run(handler.servicesOf(this.runner.engine), context, step))
        })
      })
      if (isReceived) return
      this.wait(() => {
        stop()
        this.end(Exit.interrupt())
      })
    } catch (defect) {
      this.end(Exit.die(defect))
    }
  }

  private wait(interrupt: () => void): void {
    if (this.running === undefined) {
      this.running = new RunningRequest(this.context, interrupt)
      this.runner.begin(this.running, this.route)
      this.context.request.onDisconnect(this.running.cancel)
    } else {
      this.running.interrupt = interrupt
    }
  }

  private end(exit: Outcome<HttpResponse>): void {
    if (this.running !== undefined) {
      this.running.interrupt = nothing
      this.runner.end(this.running, this.route)
    }
    this.runner.measure(this.context, () => this.runner.respond(exit, this.context, this.route))
  }
}

/** Runs the routes of requests: in fibers, of which none waits for a body. */
export class RequestRunner {
  readonly engine: Context.Context<Engine>
  /** Responds to a request with the outcome of its route. */
  readonly respond: (exit: Outcome<HttpResponse>, context: RequestContext, route: Route) => void
  private readonly pending: PendingRequests
  private readonly shares: WorkShares
  private readonly runInEngine: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  private running = 0

  constructor(
    engine: Context.Context<Engine>,
    pending: PendingRequests,
    shares: WorkShares,
    respond: RequestRunner["respond"]
  ) {
    this.engine = engine
    this.pending = pending
    this.shares = shares
    this.respond = respond
    this.runInEngine = Effect.runForkWith(engine)
  }

  /** How many operations have begun, and have no response yet. */
  get operations(): number {
    return this.running
  }

  /** Runs a route for a request whose headers have come. */
  start(context: RequestContext, route: Route, begin: () => ReturnType<Route["run"]>): void {
    this.measure(context, () => {
      const run = new Run(this, context, route)
      const begun = attempt(begin)
      const fiber = isOutcome(begun) ? undefined : this.run(this.engine, context, begun)
      // What is checked later, for example for a stream, is checked anew.
      context.arrival = undefined
      if (fiber !== undefined) run.follow(fiber)
      else if (isOutcome(begun)) run.proceed(begun)
    })
  }

  /** Does work of a request, whose time counts to its caller. */
  measure(context: RequestContext, work: () => void): void {
    this.shares.measure(work, () => context.callerId)
  }

  /** Runs a step of a request, in its span if it is traced. */
  run<A>(
    services: Context.Context<Engine>,
    { span }: RequestContext,
    effect: Effect.Effect<A, PetstoreError>
  ): Fiber.Fiber<A, PetstoreError> {
    if (span !== undefined) return Effect.runForkWith(Context.add(services, Tracer.ParentSpan, span))(effect)
    return services === this.engine ? this.runInEngine(effect) : Effect.runForkWith(services)(effect)
  }

  begin(request: PendingRequest, { kind }: Route): void {
    this.pending.add(request)
    if (kind === "operation") this.running++
  }

  end(request: PendingRequest, { kind }: Route): void {
    if (kind === "operation") this.running--
    this.pending.delete(request)
  }
}
