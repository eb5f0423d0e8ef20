import { AsyncLocalStorage } from "node:async_hooks"
import { PetstoreError } from "@petstore/core/domain"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Authenticate, Caller } from "../authentication/authentication.ts"
import type { RequestContext, StreamRequest } from "../RequestContext.ts"
import type { RunEffect } from "./Pulse.ts"

/** How many callers are authenticated at a time. */
const concurrency = 64
/** How long an authentication may take, in milliseconds. */
const timeoutMillis = 5_000
/** After how many milliseconds without an outcome a stream ends: until then, a store of sessions may be down. */
const longestDoubtMillis = 30_000

/** How the callers of open streams are authenticated again. */
export interface CheckOptions {
  readonly authenticate: Authenticate
  /** Milliseconds from one check of a stream to the next. */
  readonly interval: number
  /** Whether requests with the same `Authorization` have the same caller, so that one check is for all of them. Only the app knows what its `authenticate` reads. */
  readonly isByHeader: boolean
}

/** An open stream as far as its caller is concerned. */
export class CheckedStream {
  readonly context: RequestContext
  readonly caller: Caller
  readonly end: () => void
  /** When the next check begins. */
  dueAt: number
  /** When the first check began that has no outcome; undefined if the last one has. */
  doubtedSince: number | undefined
  /** Why. */
  cause: Cause.Cause<unknown> | undefined

  constructor(context: RequestContext, caller: Caller, end: () => void, dueAt: number) {
    this.context = context
    // An app may return the same array each time, and change what is in it.
    this.caller = { ...caller, scopes: [...caller.scopes] }
    this.end = end
    this.dueAt = dueAt
  }

  confirm(exit: Exit.Exit<Caller, unknown>): void {
    if (Exit.isFailure(exit)) {
      if (isRefusal(Cause.squash(exit.cause))) this.end()
      else this.cause = exit.cause
    } else if (isSame(this.caller, exit.value)) this.doubtedSince = undefined
    else this.end()
  }
}

/** Whether `authenticate` is mistaken: it returned no user, or reads what a session that has ended no longer has. A failed `fetch` has a cause. */
const isMistake = (error: unknown): error is TypeError => error instanceof TypeError && error.cause === undefined

/** Whether the caller is not, or no longer, allowed. If the store of keys or sessions cannot be read, that is not known. */
const isRefusal = (error: unknown): boolean =>
  isMistake(error) || (error instanceof PetstoreError && error.status < 500 && error.status !== 429)

const isSame = (known: Caller, now: Caller): boolean =>
  known.id === now.id &&
  known.accountId === now.accountId &&
  known.user === now.user &&
  known.scopes.every((scope) => now.scopes.includes(scope)) &&
  now.scopes.every((scope) => known.scopes.includes(scope))

/** Authenticates the callers of open streams again, and ends the streams of those who are refused or have other scopes. */
export class CallerChecks {
  private readonly options: CheckOptions
  private readonly runEffect: RunEffect
  private readonly now: () => number
  private demands = 0

  /** `now`: the time in milliseconds. */
  constructor(options: CheckOptions, runEffect: RunEffect, now: () => number) {
    this.options = options
    this.runEffect = runEffect
    this.now = now
  }

  /** Called before the caller of a stream is authenticated. */
  begin(): StreamRequest {
    return { inContext: AsyncLocalStorage.snapshot(), demands: this.demands }
  }

  /** A stream that opens now. If a check of all was demanded since its caller was authenticated, it is for this one, too. */
  add(context: RequestContext, caller: Caller, end: () => void): CheckedStream {
    const isCurrent = context.streamRequest?.demands === this.demands
    return new CheckedStream(context, caller, end, isCurrent ? this.now() + this.options.interval : 0)
  }

  /** Begins the checks that are due. Ends the streams whose callers have been in doubt for too long. */
  look(streams: Iterable<CheckedStream>): void {
    const now = this.now()
    const due: Array<CheckedStream> = []
    const doubted: Array<CheckedStream> = []
    for (const stream of streams) {
      if (now - (stream.doubtedSince ?? now) >= longestDoubtMillis) doubted.push(stream)
      else if (now >= stream.dueAt) due.push(stream)
    }
    if (due.length > 0) this.runEffect(this.check(due), () => {})
    const [first] = doubted
    if (first === undefined) return
    for (const { end } of doubted) end()
    const message = `Ended ${doubted.length} streams of events: their callers could not be authenticated again for 30 s`
    this.runEffect(Effect.logError(message, ...(first.cause === undefined ? [] : [first.cause])), () => {})
  }

  /** Checks all streams, and completes when that is done, or after the time that one authentication may take: then it goes on. */
  checkAll(streams: Iterable<CheckedStream>): Effect.Effect<void> {
    const checked = Effect.callback<void>((resume) => {
      this.demands++
      this.runEffect(this.check([...streams]), () => resume(Effect.void))
    })
    return Effect.asVoid(Effect.timeoutOption(checked, timeoutMillis))
  }

  private check(streams: ReadonlyArray<CheckedStream>): Effect.Effect<void> {
    // None of them is due again before its check has ended.
    for (const stream of streams) stream.dueAt = Number.POSITIVE_INFINITY
    const { isByHeader } = this.options
    const alike = Map.groupBy(streams, (stream) =>
      isByHeader ? stream.context.request.header("authorization") : stream
    )
    return Effect.forEach(alike.values(), (same) => this.checkAlike(same), { concurrency, discard: true })
  }

  private checkAlike(streams: ReadonlyArray<CheckedStream>): Effect.Effect<void> {
    const { authenticate, interval } = this.options
    const context = streams[0]?.context
    if (context?.streamRequest === undefined) return Effect.void
    const { inContext } = context.streamRequest
    return Effect.callback((resume) => {
      for (const stream of streams) stream.doubtedSince ??= this.now()
      const again = Effect.timeout(
        Effect.suspend(() => authenticate(context)),
        timeoutMillis
      )
      const done = (exit: Exit.Exit<Caller, unknown>): void => {
        for (const stream of streams) {
          stream.dueAt = this.now() + interval
          stream.confirm(exit)
        }
        if (Exit.isFailure(exit) && isMistake(Cause.squash(exit.cause)))
          this.runEffect(Effect.logError("Ended a stream of events: authenticate failed", exit.cause), () => {})
        resume(Effect.void)
      }
      inContext(() => this.runEffect(again, done))
    })
  }
}
