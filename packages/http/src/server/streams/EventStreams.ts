import { type EventQuery, type PetstoreError, parseWhole, ShuttingDown, ValidationFailed } from "@petstore/core/domain"
import { Events, type Runtime } from "@petstore/core/runtime"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import type { Caller } from "../authentication/authentication.ts"
import type { HttpResponse } from "../HttpResponse.ts"
import type { StreamShares } from "../limits/StreamShares.ts"
import type { WorkShares } from "../limits/WorkShares.ts"
import type { RequestContext } from "../RequestContext.ts"
import { CallerChecks, type CheckedStream, type CheckOptions } from "./CallerChecks.ts"
import { EventStream } from "./EventStream.ts"
import { Pulse, type RunEffect } from "./Pulse.ts"

/** How often streams are looked after, in milliseconds. */
const intervalMillis = 250
/** After how many milliseconds without an event a client receives a heartbeat: before proxies close the connection. */
const heartbeatIntervalMillis = 15_000
/** After how many milliseconds a client that takes nothing is cut. */
const stallTimeoutMillis = 30_000

/** What the query of a stream may say beside which events it has. */
export interface StreamQuery extends EventQuery {
  /** The least number of milliseconds between two sendings. */
  readonly interval?: number | undefined
}

/** The position of a client that connects again, which counts more than that of the query, which stays the same. */
const resumedAfter = (context: RequestContext): number | ValidationFailed | undefined => {
  const header = context.request.header("last-event-id")
  if (header === undefined || header === "") return undefined
  return (
    parseWhole(header) ??
    ValidationFailed.of([{ path: "/header/last-event-id", message: "Expected the id of an event of this stream" }])
  )
}

/** The open streams of a server, with one timer for all of them; no timer runs while there are none. */
export class EventStreams {
  private readonly runtime: Context.Context<Runtime>
  private readonly ofPrograms: StreamShares
  /** Those with an interval are of pages that people look at: they have as many places of their own. */
  private readonly ofPages: StreamShares
  private readonly pulses = new Map<number, Pulse>()
  private readonly workShares: WorkShares
  private readonly runEffect: RunEffect
  private readonly checks: CallerChecks
  private readonly streams = new Map<EventStream, CheckedStream>()
  private readonly now: () => number
  private isTending = false
  private isClosed = false

  constructor(
    runtime: Context.Context<Runtime>,
    checkOptions: CheckOptions,
    { ofPages, ofPrograms }: { readonly ofPages: StreamShares; readonly ofPrograms: StreamShares },
    workShares: WorkShares
  ) {
    this.runtime = runtime
    this.ofPrograms = ofPrograms
    this.ofPages = ofPages
    this.workShares = workShares
    const clock = Context.get(runtime, Clock.Clock)
    // Of a clock that is never set: heartbeats go on if the time of the system is.
    this.now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
    const fork = Effect.runForkWith(runtime)
    this.runEffect = (effect, then) => {
      fork(effect).addObserver(then)
    }
    this.checks = new CallerChecks(checkOptions, this.runEffect, this.now)
  }

  /** How many streams are open. */
  get size(): number {
    return this.streams.size
  }

  /** Called with a request for a stream before its caller is authenticated. */
  begin(context: RequestContext): void {
    context.streamRequest = this.checks.begin()
  }

  /** Responds to a request with a stream of the events after its position. */
  open(
    { interval: between, ...query }: StreamQuery,
    context: RequestContext,
    caller: Caller
  ): Effect.Effect<HttpResponse, PetstoreError> {
    return Effect.suspend((): Effect.Effect<HttpResponse, PetstoreError> => {
      if (this.isClosed) return Effect.fail(new ShuttingDown({}))
      const shares = between === undefined ? this.ofPrograms : this.ofPages
      const excess = shares.refuse(caller)
      if (excess !== undefined) return Effect.fail(excess)
      const after = resumedAfter(context) ?? query.after
      if (after instanceof ValidationFailed) return Effect.fail(after)
      shares.hold(caller, 1)
      return Effect.map(
        Effect.ensuring(
          this.follow({ ...query, after }),
          Effect.sync(() => shares.hold(caller, -1))
        ),
        ({ follower, scope }) =>
          this.respond(
            context,
            caller,
            (onEnd) =>
              new EventStream(
                follower,
                this.runFor(caller.id),
                onEnd,
                (work) => this.workShares.measure(work, () => caller.id),
                this.pulse(between)
              ),
            scope,
            shares
          )
      )
    })
  }

  /** Authenticates the callers of all streams again, and ends the streams of those who are refused or have other scopes. */
  readonly check: Effect.Effect<void> = Effect.suspend(() => this.checks.checkAll(this.streams.values()))

  /** Ends all streams; no further one is opened. */
  close(): void {
    this.isClosed = true
    for (const stream of [...this.streams.keys()]) stream.end()
  }

  /** Reads the log for a caller, a page in each turn of theirs. */
  private runFor(callerId: Caller["id"]): RunEffect {
    const { runtime, workShares } = this
    const scheduler = workShares.scheduler(Context.get(runtime, Scheduler.Scheduler), callerId)
    const fork = Effect.runForkWith(Context.add(runtime, Scheduler.Scheduler, scheduler))
    return (effect, then) => {
      fork(effect).addObserver(then)
    }
  }

  private follow({ after, subject, types }: EventQuery) {
    const events = Context.get(this.runtime, Events)
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const follower = yield* events
        .follow(after, { subject, types: types === undefined ? undefined : new Set(types) })
        .pipe(
          Scope.provide(scope),
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
        )
      return { follower, scope }
    })
  }

  private pulse(millis: number | undefined): Pulse | undefined {
    if (millis === undefined) return undefined
    const pulse = this.pulses.get(millis) ?? new Pulse(this.runEffect, millis)
    this.pulses.set(millis, pulse)
    return pulse
  }

  private respond(
    context: RequestContext,
    caller: Caller,
    make: (onEnd: () => void) => EventStream,
    scope: Scope.Closeable,
    shares: StreamShares
  ): HttpResponse {
    const { headers, request } = context
    const release = (): void => this.runEffect(Scope.close(scope, Exit.void), () => {})
    headers.push(
      "Content-Type",
      "text/event-stream",
      "Cache-Control",
      // Middleware that compresses would keep the events until its buffer is full.
      "no-store, no-transform",
      // nginx would keep the events until its buffer is full.
      "X-Accel-Buffering",
      "no"
    )
    if (request.method === "HEAD") {
      release()
      return { status: 200, headers, body: "" }
    }
    const stream = make(() => {
      this.streams.delete(stream)
      shares.hold(caller, -1)
      release()
    })
    this.streams.set(stream, this.checks.add(context, caller, stream.end))
    shares.hold(caller, 1)
    if (!this.isTending) {
      this.isTending = true
      this.runEffect(this.tend, () => {})
    }
    if (this.isClosed) stream.end()
    return { status: 200, headers, body: "", stream }
  }

  private readonly tend: Effect.Effect<void> = Effect.suspend(() =>
    Effect.flatMap(Effect.sleep(intervalMillis), () => {
      const now = this.now()
      for (const stream of [...this.streams.keys()]) stream.tend(now, heartbeatIntervalMillis, stallTimeoutMillis)
      this.checks.look(this.streams.values())
      this.isTending = this.streams.size > 0
      return this.isTending ? this.tend : Effect.void
    })
  )
}
