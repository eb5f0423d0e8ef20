import { type EventQuery, PetstoreError, ShuttingDown, TooManyStreams, ValidationFailed } from "@petstore/core/domain"
import { type Engine, Events } from "@petstore/core/services"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import type { Authenticate, Caller } from "../authentication/authentication.ts"
import type { HttpResponse } from "../HttpResponse.ts"
import type { WorkShares } from "../limits/WorkShares.ts"
import type { RequestContext } from "../RequestContext.ts"
import { EventStream, type RunEffect } from "./EventStream.ts"

/** How often streams are looked after, in milliseconds. */
const interval = 250
/** After how many of these times keys are checked again. */
const keyChecks = 2
/** After how many milliseconds without an event a client gets a heartbeat: before proxies close the connection. */
const heartbeatInterval = 15_000
/** After how many milliseconds a client that takes nothing is cut. */
const stallTimeout = 30_000

const position = /^(?:0|[1-9][0-9]{0,15})$/

/** The position of a client that connects again, which counts more than that of the query, which stays the same. */
const resumedAfter = (context: RequestContext): number | ValidationFailed | undefined => {
  const header = context.header("last-event-id")
  if (header === undefined || header === "") return undefined
  const seq = position.test(header) ? Number(header) : Number.NaN
  return Number.isSafeInteger(seq)
    ? seq
    : ValidationFailed.of([{ path: "/header/last-event-id", message: "Expected the id of an event of this stream" }])
}

/** Whether the key does not work. If the store cannot be read, that is not known. */
const isRefusal = (cause: Cause.Cause<PetstoreError>): boolean => {
  const error = Cause.squash(cause)
  return error instanceof PetstoreError && error.status === 401
}

/** How many streams may be open. */
interface StreamLimits {
  readonly ofServer: number
  readonly ofCaller: number
}

/** The request that opened a stream. Its headers are read once: a host application may use its object again. */
interface Opener {
  readonly context: RequestContext
  readonly authorization: string | undefined
}

/** A stream, and the request that opened it. */
interface Entry extends Opener {
  readonly stream: EventStream
}

/** The open streams of a server, with one timer for all of them; no timer runs while there are none. */
export class EventStreams {
  private readonly engine: Context.Context<Engine>
  private readonly checkKey: Authenticate | undefined
  private readonly limits: StreamLimits
  private readonly clock: Clock.Clock
  private readonly shares: WorkShares
  private readonly run: RunEffect
  private readonly entries = new Set<Entry>()
  /** How many streams are open or about to be, in total and of each caller. */
  private held = 0
  private readonly heldBy = new Map<Caller["id"], number>()
  private isTending = false
  private isClosed = false
  private isChecking = false
  private rounds = 0

  /** `checkKey`: authenticates by a key that may be revoked; undefined if there are none. */
  constructor(
    engine: Context.Context<Engine>,
    checkKey: Authenticate | undefined,
    limits: StreamLimits,
    shares: WorkShares
  ) {
    this.engine = engine
    this.checkKey = checkKey
    this.limits = limits
    this.shares = shares
    this.clock = Context.get(engine, Clock.Clock)
    const fork = Effect.runForkWith(engine)
    this.run = (effect, then) => {
      fork(effect).addObserver(then)
    }
  }

  /** How many streams are open. */
  get size(): number {
    return this.entries.size
  }

  /** Responds to a request with a stream of the events after its position. */
  open(query: EventQuery, context: RequestContext, callerId: Caller["id"]): Effect.Effect<HttpResponse, PetstoreError> {
    return Effect.suspend((): Effect.Effect<HttpResponse, PetstoreError> => {
      if (this.isClosed) return Effect.fail(new ShuttingDown({}))
      const excess = this.refuse(callerId)
      if (excess !== undefined) return Effect.fail(excess)
      const after = resumedAfter(context) ?? query.after
      if (after instanceof ValidationFailed) return Effect.fail(after)
      const opener = { context, authorization: context.header("authorization") }
      this.hold(callerId, 1)
      return Effect.map(
        Effect.ensuring(
          this.follow({ ...query, after }),
          Effect.sync(() => this.hold(callerId, -1))
        ),
        ({ follower, scope }) =>
          this.respond(opener, callerId, (onEnd) => new EventStream(follower, this.runFor(callerId), onEnd), scope)
      )
    })
  }

  /** Ends all streams; no further one is opened. */
  close(): void {
    this.isClosed = true
    for (const { stream } of [...this.entries]) stream.end()
  }

  /** Reads the log for a caller: in turn, if they take more than their share of the event loop. */
  private runFor(callerId: Caller["id"]): RunEffect {
    const { engine, shares } = this
    const scheduler = shares.scheduler(Context.get(engine, Scheduler.Scheduler), callerId)
    const fork = Effect.runForkWith(Context.add(engine, Scheduler.Scheduler, scheduler))
    return (effect, then) => {
      const start = (): void => {
        fork(effect).addObserver(then)
      }
      if (shares.mustWait(callerId)) shares.defer(callerId, start)
      else start()
    }
  }

  private refuse(callerId: Caller["id"]): TooManyStreams | undefined {
    const { ofCaller, ofServer } = this.limits
    if ((this.heldBy.get(callerId) ?? 0) >= ofCaller) return new TooManyStreams({ limit: ofCaller, of: "key" })
    return this.held >= ofServer ? new TooManyStreams({ limit: ofServer, of: "server" }) : undefined
  }

  private hold(callerId: Caller["id"], change: 1 | -1): void {
    const count = (this.heldBy.get(callerId) ?? 0) + change
    if (count === 0) this.heldBy.delete(callerId)
    else this.heldBy.set(callerId, count)
    this.held += change
  }

  private follow({ after, subject, types }: EventQuery) {
    const events = Context.get(this.engine, Events)
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

  private respond(
    opener: Opener,
    callerId: Caller["id"],
    make: (onEnd: () => void) => EventStream,
    scope: Scope.Closeable
  ): HttpResponse {
    const { headers, request } = opener.context
    const release = (): void => this.run(Scope.close(scope, Exit.void), () => {})
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
      this.entries.delete(entry)
      this.hold(callerId, -1)
      release()
    })
    const entry: Entry = { ...opener, stream }
    this.entries.add(entry)
    this.hold(callerId, 1)
    if (!this.isTending) {
      this.isTending = true
      this.run(this.tend, () => {})
    }
    if (this.isClosed) stream.end()
    return { status: 200, headers, body: "", stream }
  }

  private readonly tend: Effect.Effect<void> = Effect.suspend(() =>
    Effect.flatMap(Effect.sleep(interval), () => {
      // Of a clock that is never set: heartbeats go on if the time of the system is.
      const now = Number(this.clock.monotonicTimeNanosUnsafe() / 1_000_000n)
      for (const { stream } of [...this.entries]) stream.tend(now, heartbeatInterval, stallTimeout)
      if (++this.rounds % keyChecks === 0) this.checkKeys()
      this.isTending = this.entries.size > 0
      return this.isTending ? this.tend : Effect.void
    })
  )

  /** Ends the streams whose key no longer works. Streams with the same key share one look at it. */
  private checkKeys(): void {
    const { checkKey } = this
    if (checkKey === undefined || this.isChecking) return
    this.isChecking = true
    const byKey = Map.groupBy(this.entries, ({ authorization }) => authorization)
    const check = Effect.forEach(
      byKey.values(),
      (same) =>
        Effect.matchCause(
          Effect.suspend(() => (same[0] === undefined ? Effect.void : checkKey(same[0].context))),
          {
            onSuccess: () => {},
            onFailure: (cause) => {
              if (isRefusal(cause)) for (const { stream } of same) stream.end()
            }
          }
        ),
      { discard: true }
    )
    this.run(check, () => {
      this.isChecking = false
    })
  }
}
